
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page's script: asks for /status, /keys and /history each second and shows
 * them.
 *
 * What comes from the daemon becomes text or a length, never markup. Elements
 * are made once and changed after that, so that nothing flickers, and what is
 * selected stays so. A figure that the daemon does not have counts as 0: page
 * and daemon of different versions understand each other.
 */
"use strict";

(() => {
const POLL_MS = 1000;
const PATIENCE_MS = 5000;
const WINDOW_S = 60; /* of means and of the CPU's share */
const MOST_BARS = 10; /* of reasons */
const MOST_KEYS = 12;

/*
 * Figures.
 */

/* The member at PATH, its parts divided by dots. */
function member(object, path) {
	for (const name of path.split("."))
		object = object === null || typeof object !== "object"
		    ? undefined : object[name];
	return object;
}

function figure(object, path) {
	const value = member(object, path);

	return typeof value === "number" ? value : 0;
}

/* [name, figure] of each member of the object at PATH. */
function members(object, path) {
	return Object.entries(member(object, path) ?? {}).filter(
	    ([, value]) => typeof value === "number");
}

/* The elements of the array at PATH. */
function elements(object, path) {
	const array = member(object, path);

	return Array.isArray(array) ? array : [];
}

/* Those that are numbers, rates of all seconds. */
function ratesOf(history, path) {
	return elements(history, path).filter((rate) => Number.isFinite(rate));
}

/* Those that are objects. */
function rows(object, path) {
	return elements(object, path).filter(
	    (row) => row !== null && typeof row === "object");
}

function sum(numbers) {
	return numbers.reduce((all, one) => all + one, 0);
}

/*
 * Words for figures.
 */
const counts = new Intl.NumberFormat("en");

function countText(value) {
	return counts.format(Math.round(value));
}

function rateText(value) {
	return value === 0 || value >= 99.95 ? countText(value)
	    : value.toFixed(1);
}

/* Three digits and the greatest of UNITS, [size, name], that fits. */
function unitText(value, units) {
	const [size, name] = units.find(([size]) => value >= size * 0.9995) ??
	    units[units.length - 1];
	const scaled = value / size;
	const digits = scaled === Math.round(scaled) || scaled >= 99.95 ? 0
	    : scaled >= 9.995 ? 1 : 2;

	return (scaled >= 1000 ? countText(scaled) : scaled.toFixed(digits)) +
	    " " + name;
}

function secondsText(seconds) {
	return seconds === 0 ? "0" : unitText(seconds,
	    [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]]);
}

function bytesText(bytes) {
	return unitText(bytes, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"],
	    [1e3, "kB"], [1, "B"]]);
}

function percentText(part, all) {
	return (all > 0 ? 100 * part / all : 0).toFixed(1) + " %";
}

function uptimeText(seconds) {
	const pad = (value) => String(Math.floor(value)).padStart(2, "0");
	const days = Math.floor(seconds / 86400);

	return (days > 0 ? days + " d " : "") + pad(seconds / 3600 % 24) + ":" +
	    pad(seconds / 60 % 60) + ":" + pad(seconds % 60);
}

function clockText(time) {
	return new Date(time).toTimeString().slice(0, 8);
}

/* A name of the daemon's as people read it. */
function nameText(name) {
	return String(name).replaceAll("_", " ");
}

/*
 * Elements.
 */
function byId(id) {
	return document.getElementById(id);
}

function setText(element, text) {
	if (element.textContent !== text)
		element.textContent = text;
}

function setAttributes(element, attributes) {
	for (const [name, value] of Object.entries(attributes))
		if (element.getAttribute(name) !== String(value))
			element.setAttribute(name, value);
	return element;
}

/* Child number I of PARENT, which is a TAG; made where there is none yet. */
function child(parent, i, tag) {
	while (parent.children.length <= i)
		parent.append(document.createElementNS(
		    parent.namespaceURI, tag));
	return parent.children[i];
}

function keepChildren(parent, count) {
	while (parent.children.length > count)
		parent.lastElementChild.remove();
}

function setWidth(element, share) {
	const percent = Math.min(100, Math.max(0, 100 * share)).toFixed(2) + "%";

	if (element.style.width !== percent)
		element.style.width = percent;
}

/* A bar for each of ITEMS, {name, value, tone, text, whole}: its length is
 * VALUE of WHOLE, or of the sum of all. NONE is said where there is no item. */
function showBars(id, items, none) {
	const list = byId(id);
	const all = sum(items.map((item) => item.value));
	const shown = items.length > 0 ? items
	    : [{ name: none, value: 0, text: "", tone: "none" }];

	shown.forEach((item, i) => {
		const row = child(list, i, "li");
		const bar = child(row, 2, "span");
		const whole = item.whole ?? all;

		child(row, 0, "span");
		setText(row.children[0], item.name);
		setText(row.children[1], item.text ?? countText(item.value));
		setAttributes(row, { "data-tone": item.tone ?? "plain" });
		setAttributes(bar, { class: "bar", "aria-hidden": "true" });
		bar.hidden = item.tone === "none";
		child(bar, 0, "span").hidden = !(item.value > 0);
		setWidth(bar.children[0], whole > 0 ? item.value / whole : 0);
	});
	keepChildren(list, shown.length);
}

/* PAIRS are [name, text]. */
function showFacts(id, pairs) {
	const list = byId(id);

	pairs.forEach(([name, text], i) => {
		setText(child(list, 2 * i, "dt"), name);
		setText(child(list, 2 * i + 1, "dd"), text);
	});
	keepChildren(list, 2 * pairs.length);
}

/* Items of [name, figure] pairs that are not 0; TONES: {name: tone}. */
function barsOf(pairs, tones) {
	return pairs.filter(([, value]) => value > 0).map(([name, value]) => (
	    { name: nameText(name), value, tone: tones[name] }));
}

/* The greatest of ITEMS, and one for the others where there are more than a
 * person reads. */
function greatest(items) {
	const sorted = [...items].sort((a, b) => b.value - a.value);
	const others = sorted.splice(MOST_BARS);

	return others.length === 0 ? sorted : [...sorted,
		{ name: others.length + " others",
			value: sum(others.map((item) => item.value)) }];
}

/*
 * What this page has seen: the answers of the last minute, the newest last.
 */
const seen = [];

function remember(status) {
	const now = performance.now() / 1000;

	if (seen.length > 0 && startOf(status) !== startOf(seen[0].status))
		seen.length = 0;
	seen.push({ at: now, status });
	while (now - seen[0].at > WINDOW_S + 1)
		seen.shift();
}

function startOf(status) {
	return figure(status, "process.start_time_seconds");
}

/*
 * The plot.
 */
const plot = {
	element: byId("plot"),
	history: null, /* the last answer */
	at: 0,	       /* when that came, in ms since 1970 */
	cursor: null,  /* seconds ago that the pointer is at, or null */
};

/* What lies between two lines, so that some four of them reach MOST: 1, 2, 2.5
 * or 5 times a power of ten. */
function niceStep(most) {
	const power = 10 ** Math.floor(Math.log10(most / 4));

	return [1, 2, 2.5, 5, 10].map((times) => times * power).find(
	    (step) => 4 * step >= most);
}

/* Where things are drawn: x() of seconds ago, y() of a rate. */
function plotFrame(width, height, seconds, most) {
	const step = niceStep(most);
	const top = step * Math.ceil(most / step);
	const left = 8 + 7.5 * Math.max(4.5, countText(top).length);
	const right = width - 8, upper = 8, lower = height - 22;

	return { width, height, left, right, upper, lower, top, step, seconds,
		x: (ago) => right - (right - left) * ago / (seconds - 1),
		y: (rate) => lower - (lower - upper) * rate / top };
}

function plotText(text, x, y, anchor, words) {
	setAttributes(text, { x, y, "text-anchor": anchor });
	setText(text, words);
}

function drawRateLines(lines, texts, frame) {
	const count = Math.round(frame.top / frame.step) + 1;

	for (let i = 0; i < count; i++) {
		const rate = frame.step * i, y = frame.y(rate);

		setAttributes(child(lines, i, "line"), { class: "grid",
			x1: frame.left, x2: frame.right, y1: y, y2: y });
		plotText(child(texts, i, "text"), frame.left - 6, y + 4, "end",
		    rate % 1 === 0 ? countText(rate) : String(rate));
	}
	keepChildren(lines, count);
	keepChildren(texts, count);
}

/* Each minute has its name, or only the first and the last. */
function drawTimes(texts, frame) {
	const minutes = Math.floor(frame.seconds / 60);
	const each = frame.width > 90 * (minutes + 1) ? 1 : minutes;
	let count = 0;

	for (let ago = 0; ago <= minutes; ago += each)
		plotText(child(texts, count++, "text"),
		    frame.x(Math.min(60 * ago, frame.seconds - 1)),
		    frame.height - 4,
		    ago === 0 ? "end" : ago === minutes ? "start" : "middle",
		    ago === 0 ? "now" : ago + " min ago");
	keepChildren(texts, count);
}

function drawSeries(group, frame, rates, name) {
	const points = rates.map((rate, i) =>
	    frame.x(rates.length - 1 - i).toFixed(1) + "," +
	    frame.y(rate).toFixed(1)).join(" L");
	const line = rates.length > 0 ? "M" + points : "";

	setAttributes(group, { class: name });
	setAttributes(child(group, 0, "path"), { class: "area",
		d: line !== "" ? line + " V" + frame.lower + " H" +
		    frame.x(rates.length - 1).toFixed(1) + " Z" : "" });
	setAttributes(child(group, 1, "path"), { class: "line", d: line });
}

/* What the rates were where the pointer is. */
function drawCursor(line, frame, signs, verifies) {
	const ago = plot.cursor, at = signs.length - 1 - ago;
	const shown = ago !== null && at >= 0;

	setAttributes(line, { class: "cursor",
		visibility: shown ? "visible" : "hidden",
		x1: frame.x(ago ?? 0), x2: frame.x(ago ?? 0),
		y1: frame.upper, y2: frame.lower });
	setText(byId("reading"), !shown ? "\u00a0"
	    : clockText(plot.at - 1000 * ago) + ": " + rateText(signs[at]) +
		" made, " + rateText(verifies[at]) + " judged");
}

function drawPlot() {
	const history = plot.history, box = plot.element;
	const width = box.clientWidth, height = box.clientHeight;

	if (history === null || width < 100 || height < 50)
		return;
	const signs = ratesOf(history, "signs");
	const verifies = ratesOf(history, "verifies");
	const most = Math.max(0, ...signs, ...verifies);
	const frame = plotFrame(width, height, figure(history, "seconds"),
	    Math.max(1, most));

	setAttributes(box, { viewBox: "0 0 " + width + " " + height,
		"aria-label": "Signatures a second over the last " +
		    Math.round(frame.seconds / 60) + " minutes, at most " +
		    rateText(most) });
	drawRateLines(child(box, 0, "g"), child(box, 1, "g"), frame);
	drawTimes(child(box, 2, "g"), frame);
	drawSeries(child(box, 3, "g"), frame, signs, "made");
	drawSeries(child(box, 4, "g"), frame, verifies, "judged");
	drawCursor(child(box, 5, "line"), frame, signs, verifies);
	plot.frame = frame;
}

function movePointer(event) {
	const frame = plot.frame;

	if (frame === undefined)
		return;
	const part = (frame.right - event.offsetX) / (frame.right - frame.left);
	const ago = Math.round(part * (frame.seconds - 1));
	plot.cursor = ago >= 0 && ago < frame.seconds ? ago : null;
	drawPlot();
}

function leavePointer() {
	plot.cursor = null;
	drawPlot();
}

/*
 * The parts of the page.
 */
function showHead(status) {
	const ready = figure(status, "ready") > 0;

	setText(byId("about"), String(member(status, "version") ?? "") + ", up " +
	    uptimeText(figure(status, "uptime_seconds")));
	showState(ready ? "ready" : "unready",
	    ready ? "Ready" : "Not ready: takes no mail");
}

function showRates(status) {
	const more = (ten, minute, all) => rateText(ten) + " over 10 s,\n" +
	    rateText(minute) + " over 60 s,\n" + countText(all) + " in all";
	const total = (list) => sum(list.map((row) => figure(row, "count")));

	setText(byId("signs-now"),
	    rateText(figure(status, "signs_per_second.1s")));
	setText(byId("signs-more"), more(
	    figure(status, "signs_per_second.10s"),
	    figure(status, "signs_per_second.60s"),
	    total(rows(status, "signs"))));
	setText(byId("verifies-now"),
	    rateText(figure(status, "verifies_per_second.1s")));
	setText(byId("verifies-more"), more(
	    figure(status, "verifies_per_second.10s"),
	    figure(status, "verifies_per_second.60s"),
	    total(rows(status, "verifies"))));
}

function sameOperation(status, operation) {
	return rows(status, "operations").find((other) =>
	    other.operation === operation.operation &&
	    other.algorithm === operation.algorithm);
}

/* Means of queue, CPU and waiting since BEFORE; null: nothing came since. */
function meansSince(operation, before) {
	const count = figure(operation, "cpu_seconds.count") -
	    figure(before, "cpu_seconds.count");
	const since = (of) =>
	    (figure(operation, of + ".sum") - figure(before, of + ".sum")) /
	    count;

	if (!(count > 0))
		return null;
	const queue = since("queue_seconds"), cpu = since("cpu_seconds");
	const wait = since("mail_thread_wait_seconds");
	return { queue, cpu, rest: Math.max(0, wait - queue - cpu),
		wait: Math.max(wait, queue + cpu) };
}

function showOperation(body, i, operation) {
	const recent = meansSince(operation,
	    sameOperation(seen[0].status, operation));
	const means = recent ?? meansSince(operation, undefined) ??
	    { queue: 0, cpu: 0, rest: 0, wait: 0 };
	const row = child(body, 2 * i, "tr"), split = child(body, 2 * i + 1, "tr");
	const look = recent === null ? "old" : "";
	const cells = [
		["In all", countText(figure(operation, "cpu_seconds.count"))],
		["Queue", secondsText(means.queue), "queue"],
		["CPU", secondsText(means.cpu), "cpu"],
		["Waiting", secondsText(means.rest), "rest"],
		["Together", secondsText(means.wait)],
		["99 % under", secondsText(
		    figure(operation, "mail_thread_wait_seconds.p99"))],
	];

	setAttributes(row, { class: look, role: "row" });
	setAttributes(child(row, 0, "th"), { scope: "row", role: "rowheader" });
	setText(row.children[0],
	    String(operation.operation) + " " + String(operation.algorithm));
	cells.forEach(([name, text, tone], n) => {
		setText(setAttributes(child(row, n + 1, "td"), {
			class: "number " + (tone ?? ""), role: "cell",
			"data-name": name }), text);
	});
	showSplit(split, look, means);
}

function showSplit(split, look, means) {
	setAttributes(split, { class: "split " + look, "aria-hidden": "true" });
	const cell = setAttributes(child(split, 0, "td"), { colspan: 7 });
	const stack = setAttributes(child(cell, 0, "div"), { class: "stack" });

	["queue", "cpu", "rest"].forEach((part, i) => {
		const piece = child(stack, i, "span");

		setAttributes(piece, { class: part });
		setWidth(piece, means.wait > 0 ? means[part] / means.wait : 0);
	});
}

/* Those that never came are left out. */
function showOperations(status) {
	const body = byId("operations");
	const operations = rows(status, "operations").filter(
	    (operation) => figure(operation, "cpu_seconds.count") > 0);

	body.closest("section").hidden = operations.length === 0;
	operations.forEach((operation, i) => showOperation(body, i, operation));
	keepChildren(body, 2 * operations.length);
}

/* What should be 0, and what it means. */
const TROUBLE = [
	["key_load_failures", "times a private key could not be loaded"],
	["limits.not_signed", "messages of trusted clients left unsigned: no key"],
	["limits.key_left_out", "messages signed without a key that applies"],
	["queue.overloads", "messages found the workers' queue full"],
	["queue.deadlines", "messages were not done in time"],
	["connections.refused", "connections were over the limit"],
	["limits.header", "messages had too large a header"],
	["dns.refused", "questions not asked: too many were pending"],
	["reloads.failed", "reloads failed: the old configuration is in use"],
];

function showTrouble(status) {
	const items = TROUBLE.map(([path, words]) => (
	    { name: words, value: figure(status, path), tone: "bad" }));

	items.forEach((item) => { item.whole = item.value; });
	showBars("trouble", items.filter((item) => item.value > 0),
	    "Nothing since the start");
}

const ACTION_TONES = { signed: "made", verified: "good", passed: "plain",
	rejected: "bad", tempfailed: "odd", quarantined: "odd",
	discarded: "bad", aborted: "plain" };

const POLICY_TONES = { accept: "good", reject: "bad", tempfail: "odd",
	quarantine: "odd", discard: "bad" };

function showMessages(status) {
	showBars("messages", barsOf(members(status, "messages"), ACTION_TONES),
	    "None yet");
	showBars("policy", rows(status, "policy").map((rule) => ({
		name: String(rule.action) + (rule.applied === "yes" ? ""
		    : ", " + nameText(rule.applied)),
		value: figure(rule, "count"),
		tone: POLICY_TONES[rule.action] })).filter(
		    (item) => item.value > 0), "None yet");
	showFacts("connections", [
		["Connections open", countText(figure(status, "connections.open"))],
		["Connections in all",
		    countText(figure(status, "connections.total"))],
		["Forged results removed",
		    countText(figure(status, "limits.results_removed"))],
	]);
}

function showSigns(status) {
	const items = rows(status, "signs").map((sign) => ({
		name: String(sign.algorithm) + " " + String(sign.key_bits) +
		    (sign.result === "ok" ? "" : ", " + nameText(sign.result)),
		value: figure(sign, "count"),
		tone: sign.result === "ok" ? "made" : "bad" }));

	showBars("signs", items.filter((item) => item.value > 0), "None yet");
	showBars("hazards", barsOf(members(status, "sign_hazards"), {}),
	    "Nothing found");
}

const RESULT_TONES = { pass: "good", fail: "bad", permerror: "bad",
	temperror: "odd", policy: "odd", neutral: "plain" };

function showVerifies(status) {
	const verifies = rows(status, "verifies");
	const results = Object.keys(RESULT_TONES).map((result) => [result,
		sum(verifies.filter((verify) => verify.result === result).map(
		    (verify) => figure(verify, "count")))]);
	const all = sum(results.map(([, value]) => value));
	const algorithms = new Map();

	for (const verify of verifies) {
		const name = String(verify.algorithm);

		algorithms.set(name,
		    (algorithms.get(name) ?? 0) + figure(verify, "count"));
	}
	showBars("results", barsOf(results, RESULT_TONES).map((item) => ({
		...item, text: countText(item.value) + "  (" +
		    percentText(item.value, all) + ")" })), "None yet");
	showBars("verifies", barsOf([...algorithms], {}), "None yet");
	showBars("reasons",
	    greatest(barsOf(members(status, "verify_reasons"), {})),
	    "All passed");
}

function showWorkers(status) {
	const busy = figure(status, "workers.busy");
	const count = figure(status, "workers.count");
	const depth = figure(status, "queue.depth");
	const capacity = figure(status, "queue.capacity");

	showBars("workers", [
		{ name: "busy", value: busy, whole: count, tone: "made",
			text: busy + " of " + count },
		{ name: "queue", value: depth, whole: capacity,
			tone: 2 * depth > capacity ? "bad" : "made",
			text: depth + " of " + countText(capacity) },
	], "");
	showFacts("queue", [
		["Found it full", countText(figure(status, "queue.overloads"))],
		["Not done in time", countText(figure(status, "queue.deadlines"))],
	]);
}

const ANSWER_TONES = { found: "good", no_name: "plain", timeout: "odd",
	failed: "odd", bogus: "bad" };

function showDns(status) {
	showBars("lookups", barsOf(members(status, "dns.lookups"), ANSWER_TONES),
	    "No look-ups yet");
	showFacts("dns", [
		["Half took under", secondsText(figure(status, "dns.seconds.p50"))],
		["99 % took under", secondsText(figure(status, "dns.seconds.p99"))],
		["Not answered yet", countText(figure(status, "dns.pending"))],
	]);
}

function cacheFacts(cache, words) {
	const found = figure(cache, "hits") + figure(cache, "joined");

	return [
		[words, countText(figure(cache, "entries"))],
		["Found in memory", percentText(found,
		    found + figure(cache, "misses"))],
		["Dropped for others", countText(figure(cache, "evictions"))],
	];
}

/* Of keys that sign only while their record is published. */
const KEY_TONES = { published: "good", waiting: "odd", gone: "bad",
	revoked: "bad", differs: "bad" };

function countStanding(status) {
	return sum(members(status, "published.keys").map(([, count]) => count));
}

/* Those that are not published by name; KEYS is an answer of /keys, or null. */
function showStanding(status, keys) {
	const all = countStanding(status);
	const unwell = all - figure(status, "published.keys.published");
	const shown = rows(keys, "keys").filter(
	    (key) => key.state !== "published").slice(0, MOST_KEYS);
	const pairs = shown.map((key) => [String(key.name),
		nameText(key.state) +
		    (key.last_check === "failed" ? ", look-up fails" : "")]);

	byId("standing").hidden = all === 0;
	showBars("keys", barsOf(members(status, "published.keys"), KEY_TONES),
	    "None");
	if (shown.length > 0 && unwell > shown.length)
		pairs.push(["and more", countText(unwell - shown.length)]);
	showFacts("key-list", pairs);
}

function showKeys(status) {
	showFacts("private", cacheFacts(member(status, "key_caches.private"),
	    "Private keys loaded"));
	showFacts("public", cacheFacts(member(status, "key_caches.public"),
	    "Key records"));
}

/* The CPU time of the last minute that was seen, as a share of the time. */
function recentCpu(status) {
	const first = seen[0];
	const elapsed = seen[seen.length - 1].at - first.at;

	return percentText(figure(status, "process.cpu_seconds") -
	    figure(first.status, "process.cpu_seconds"), elapsed);
}

function showProcess(status) {
	showFacts("process", [
		["Memory", bytesText(
		    figure(status, "process.resident_memory_bytes"))],
		["CPU, of one processor", recentCpu(status)],
		["CPU time in all",
		    secondsText(figure(status, "process.cpu_seconds"))],
		["Open files", countText(figure(status, "process.open_files")) +
		    " of " + countText(figure(status, "process.max_files"))],
		["Reloads", countText(figure(status, "reloads.ok"))],
	]);
}

function showCpu(status) {
	showBars("threads", members(status, "cpu_seconds.threads").map(
	    ([name, value]) => (
		{ name, value, text: secondsText(value) })), "None");
	showFacts("work", [
		["Signing", secondsText(figure(status, "cpu_seconds.worker.sign"))],
		["Verifying",
		    secondsText(figure(status, "cpu_seconds.worker.verify"))],
		["Hashing " + bytesText(figure(status, "body_hash.bytes")),
		    secondsText(figure(status, "body_hash.cpu_seconds"))],
	]);
}

const PARTS = [showHead, showRates, showOperations, showTrouble, showMessages,
	showSigns, showVerifies, showWorkers, showDns, showKeys, showCpu,
	showProcess];

/*
 * Whether the daemon is there.
 */
const daemon = {
	start: null,	 /* of the process that answered last */
	gone_since: null, /* ms since 1970, or null */
};

function showState(state, words) {
	setAttributes(byId("state"), { "data-state": state });
	setText(byId("state"), words);
}

function showNotice(state, words) {
	const notice = byId("notice");

	setAttributes(notice, { "data-state": state });
	setText(notice, words);
	notice.hidden = false;
}

function noteAnswer(status, now) {
	const start = startOf(status);
	const restarted = daemon.start !== null && daemon.start !== start;

	if (daemon.gone_since !== null)
		showNotice("back", "The daemon answers again since " +
		    clockText(now) + ". There was no answer for " +
		    secondsText(Math.ceil((now - daemon.gone_since) / 1000)) +
		    (restarted ? "; it was started anew." : "."));
	else if (restarted)
		showNotice("back", "The daemon was started anew at " +
		    clockText(1000 * start) + ": all counts began at 0.");
	daemon.start = start;
	daemon.gone_since = null;
	byId("main").classList.remove("stale");
}

function noteSilence(now, why) {
	if (daemon.gone_since === null) {
		daemon.gone_since = now;
		showNotice("gone", "No answer from the daemon since " +
		    clockText(now) + " (" + why + "). " + (daemon.start !== null
			? "What is shown is the last that it said. " : "") +
		    "This page goes on asking.");
	}
	showState("gone", "No answer");
	byId("main").classList.add("stale");
	document.title = "No answer - signpostd";
}

function show(status, keys, history, now) {
	noteAnswer(status, now);
	remember(status);
	plot.history = history;
	plot.at = now;
	for (const part of PARTS)
		part(status);
	showStanding(status, keys);
	drawPlot();
	document.title = rateText(figure(status, "signs_per_second.1s") +
	    figure(status, "verifies_per_second.1s")) + "/s - signpostd";
}

/*
 * Asking.
 */
async function ask(path) {
	const answer = await fetch(path, { cache: "no-store",
		signal: AbortSignal.timeout(PATIENCE_MS) });

	if (!answer.ok)
		throw new Error("HTTP " + answer.status);
	return answer.json();
}

/* Keys are asked for where there are any. */
async function askAll() {
	const status = await ask("status");

	return Promise.all([status,
		countStanding(status) > 0 ? ask("keys") : null, ask("history")]);
}

function whyNoAnswer(error) {
	return error.name === "TimeoutError" ? "it takes too long"
	    : error.name === "TypeError" ? "connection refused or broken"
	    : error.message;
}

async function poll() {
	const began = performance.now();
	let answers = null;

	try {
		answers = await askAll();
	} catch (error) {
		noteSilence(Date.now(), whyNoAnswer(error));
	}
	if (answers !== null)
		show(...answers, Date.now());
	/* Who does not look needs no figures. */
	if (document.hidden)
		document.addEventListener("visibilitychange", poll,
		    { once: true });
	else
		setTimeout(poll, Math.max(100,
		    POLL_MS - (performance.now() - began)));
}

plot.element.addEventListener("pointermove", movePointer);
plot.element.addEventListener("pointerleave", leavePointer);
new ResizeObserver(drawPlot).observe(plot.element);
poll();
})();
