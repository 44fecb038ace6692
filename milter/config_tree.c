/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config_read.h"
#include "config_rows.h"

struct config_tree {
	char *text; /* the rows; every string points into it */
	struct config_node *nodes;
	size_t count;
};

struct row {
	enum config_row row;
	unsigned line;
	const char *name, *value;
};

/* Where the rows are being read into. */
struct builder {
	struct config_tree *tree;
	struct config_problems *problems;
	const char *file;
	struct config_node *open[CONFIG_READ_MAX_DEPTH];
	struct config_node *last[CONFIG_READ_MAX_DEPTH]; /* child of it */
	size_t depth;
};

/* Cuts a row off *AT. False where none is whole before END. */
static bool
next_row(char **at, const char *end, struct row *row_r)
{
	const char *strings[3];
	char *stop;
	unsigned long line;
	size_t i;

	if (*at == end)
		return false;
	row_r->row = (enum config_row)(unsigned char)*(*at)++;
	for (i = 0; i < 3; i++) {
		strings[i] = *at;
		stop = memchr(*at, '\0', (size_t)(end - *at));
		if (stop == NULL)
			return false;
		*at = stop + 1;
	}
	line = strtoul(strings[0], &stop, 10);
	if (*stop != '\0' || line > UINT_MAX)
		return false;
	row_r->line = (unsigned)line;
	row_r->name = strings[1];
	row_r->value = strings[2];
	return true;
}

static bool
add_node(struct builder *builder, const struct row *row, enum config_kind kind)
{
	struct config_tree *tree = builder->tree;
	struct config_node *node = &tree->nodes[tree->count++];
	size_t depth = builder->depth;

	*node = (struct config_node){ .kind = kind,
		.line = row->line,
		.file = builder->file,
		.name = row->name,
		.value = row->value };
	if (depth == 0 && tree->count > 1)
		return false; /* one root */
	if (depth > 0 && builder->last[depth - 1] != NULL)
		builder->last[depth - 1]->next = node;
	else if (depth > 0)
		builder->open[depth - 1]->child = node;
	if (depth > 0)
		builder->last[depth - 1] = node;
	if (kind != CONFIG_GROUP && kind != CONFIG_LIST && kind != CONFIG_ARRAY)
		return depth > 0;
	if (depth == CONFIG_READ_MAX_DEPTH) {
		config_problem(builder->problems, node->file, node->line, "",
		    "groups and lists stand too deep in each other");
		return false;
	}
	builder->open[depth] = node;
	builder->last[depth] = NULL;
	builder->depth++;
	return true;
}

static bool
take_row(struct builder *builder, const struct row *row)
{
	switch (row->row) {
	case CONFIG_ROW_FILE:
		builder->file = row->value;
		return true;
	case CONFIG_ROW_PROBLEM:
		config_problem(builder->problems, builder->file, row->line,
		    row->name, "%s", row->value);
		return true;
	case CONFIG_ROW_WARNING:
		config_warning(builder->problems, builder->file, row->line,
		    row->name, "%s", row->value);
		return true;
	case CONFIG_ROW_GROUP:
		return add_node(builder, row, CONFIG_GROUP);
	case CONFIG_ROW_LIST:
		return add_node(builder, row, CONFIG_LIST);
	case CONFIG_ROW_ARRAY:
		return add_node(builder, row, CONFIG_ARRAY);
	case CONFIG_ROW_STRING:
		return add_node(builder, row, CONFIG_STRING);
	case CONFIG_ROW_INTEGER:
		return add_node(builder, row, CONFIG_INTEGER);
	case CONFIG_ROW_FLOAT:
		return add_node(builder, row, CONFIG_FLOAT);
	case CONFIG_ROW_BOOLEAN:
		return add_node(builder, row, CONFIG_BOOLEAN);
	case CONFIG_ROW_END:
		return builder->depth > 0 && builder->depth-- > 0;
	case CONFIG_ROW_LAST:
		break;
	}
	return false;
}

/* How many rows there are, CONFIG_ROW_LAST being the last; 0 where they are
 * not whole. */
static size_t
count_rows(char *at, const char *end)
{
	struct row row;
	size_t count = 0;

	while (next_row(&at, end, &row)) {
		if (++count > CONFIG_READ_MAX_NODES)
			return 0;
		if (row.row == CONFIG_ROW_LAST)
			return at == end ? count : 0;
	}
	return 0;
}

struct config_tree *
config_tree_parse(struct bytes rows, struct config_problems *problems)
{
	struct config_tree *tree = calloc(1, sizeof *tree);
	struct builder builder = {
		.tree = tree, .problems = problems, .file = ""
	};
	struct row row;
	char *at;
	size_t count;

	if (tree == NULL || rows.len == 0)
		goto fail;
	tree->text = malloc(rows.len);
	if (tree->text == NULL)
		goto fail;
	memcpy(tree->text, rows.data, rows.len);
	count = count_rows(tree->text, tree->text + rows.len);
	if (count == 0)
		goto fail;
	tree->nodes = calloc(count, sizeof *tree->nodes);
	if (tree->nodes == NULL)
		goto fail;
	at = tree->text;
	while (next_row(&at, tree->text + rows.len, &row) &&
	    row.row != CONFIG_ROW_LAST)
		if (!take_row(&builder, &row))
			goto fail;
	if (builder.depth > 0 || tree->count == 0 ||
	    tree->nodes[0].kind != CONFIG_GROUP)
		goto fail;
	return tree;

fail:
	config_tree_free(tree);
	return NULL;
}

const struct config_node *
config_tree_root(const struct config_tree *tree)
{
	return &tree->nodes[0];
}

size_t
config_node_count(const struct config_node *node)
{
	size_t count = 0;

	for (node = node->child; node != NULL; node = node->next)
		count++;
	return count;
}

void
config_tree_free(struct config_tree *tree)
{
	if (tree == NULL)
		return;
	free(tree->nodes);
	free(tree->text);
	free(tree);
}
