/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config_rows - how the configuration's parser and its reader speak
 *
 * A row is a letter and three strings, each NUL-ended: line, name, value. The
 * file named last is that of the rows behind it.
 */
#ifndef CONFIG_ROWS_H
#define CONFIG_ROWS_H

enum config_row {
	CONFIG_ROW_FILE = 'F', /* value: the file's name */
	CONFIG_ROW_GROUP = 'g',
	CONFIG_ROW_LIST = 'l',
	CONFIG_ROW_ARRAY = 'a',
	CONFIG_ROW_END = 'e', /* of a group, list or array */
	CONFIG_ROW_STRING = 's',
	CONFIG_ROW_INTEGER = 'i',
	CONFIG_ROW_FLOAT = 'f',
	CONFIG_ROW_BOOLEAN = 'b',
	CONFIG_ROW_PROBLEM = 'p', /* name: the setting; value: the text */
	CONFIG_ROW_WARNING = 'w',
	CONFIG_ROW_LAST = '.' /* all were sent */
};

#endif
