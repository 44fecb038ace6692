# SPDX-License-Identifier: BSD-2-Clause
"""The test of the test: peer_signpost with one fault planted after the other
(fault.h). Each has to be found by the oracle. Those that make Signpost pass
what others do not, or the other way round, have to be found by each peer on
its own, too."""
import driver
import peers

MOST = 6000  # cases until a fault has to be found

# Fault, and whether the peers can see it.
FAULTS = (
    ("first-string", True), ("first-record", False), ("one-space", True),
    ("unfold", True), ("lf-ends-line", False), ("nul-ends-body", False),
    ("trim-lines", True), ("reverse", True), ("old-clock", False),
    ("dns-denies", False), ("swap", True), ("body-passes", True),
    ("revoked-passes", True), ("no-oversign", False),
)


def first_found(seed, build, fault, others):
    """Who found it: name -> number of the case."""
    run = driver.Driver(seed, peers.signpost(build, fault), others)
    want = {"oracle"} | {peer.name for peer in others}
    seen = {}
    for number in range(MOST):
        run.counts = driver.Counts()
        run.run(number)
        for item in run.counts.found:
            seen.setdefault(item.who, number)
        if want <= set(seen):
            break
    run.close()
    return seen


def find_all(seed, build, others, missing):
    passed = failed = 0
    for fault, visible in FAULTS:
        asked = others if visible else []
        seen = first_found(seed, build, fault, asked)
        lacks = [name for name in ["oracle"] + [p.name for p in asked]
                 if name not in seen]
        print("%-15s %s%s" % (
            fault, ", ".join("%s: case %d" % pair for pair in seen.items()),
            "; not found by " + ", ".join(lacks) if lacks else ""))
        failed += bool(lacks)
        passed += not lacks
    print("%d passed, %d failed, %d skipped" % (passed, failed, len(missing)))
    return 1 if failed else 0
