// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Writers of text and JSON.
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

struct out_options out;

/* --- JSON --------------------------------------------------------------- */

enum { JSON_DEPTH = 8 };

/* Open objects and arrays; [0] is the top. */
static struct {
	int depth;
	bool array[JSON_DEPTH];
	bool filled[JSON_DEPTH];
} json;

static void json_newline(void)
{
	int i;

	if (!out.pretty)
		return;
	putchar('\n');
	for (i = 0; i < json.depth; i++)
		fputs("    ", stdout);
}

static void json_quote(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if ((unsigned char)*s < ' ')
			printf("\\u%04x", *s);
		else
			putchar(*s);
	}
	putchar('"');
}

/* Separator, indentation and key before a value. */
static void json_lead(const char *key)
{
	if (json.filled[json.depth])
		putchar(',');
	if (json.depth)
		json_newline();
	json.filled[json.depth] = true;
	if (key && !json.array[json.depth]) {
		json_quote(key);
		fputs(out.pretty ? ": " : ":", stdout);
	}
}

static void json_open(const char *key, bool array)
{
	if (!out.json)
		return;
	json_lead(key);
	putchar(array ? '[' : '{');
	if (json.depth < JSON_DEPTH - 1)
		json.depth++;
	json.array[json.depth] = array;
	json.filled[json.depth] = false;
}

static void json_close(void)
{
	bool array = json.array[json.depth];
	bool filled = json.filled[json.depth];

	if (!out.json)
		return;
	if (json.depth)
		json.depth--;
	if (filled)
		json_newline();
	putchar(array ? ']' : '}');
}

/**
 * out_begin() - begin the output of a command
 */
void out_begin(void)
{
	memset(&json, 0, sizeof(json));
	json_open(NULL, true);
}

/**
 * out_end() - end the output of a command
 */
void out_end(void)
{
	json_close();
	if (out.json)
		putchar('\n');
}

/**
 * out_object() - begin an object
 * @key: its key; not used within an array
 */
void out_object(const char *key)
{
	json_open(key, false);
}

/**
 * out_object_end() - end an object
 */
void out_object_end(void)
{
	json_close();
}

/**
 * out_array() - begin an array
 * @key: its key; not used within an array
 */
void out_array(const char *key)
{
	json_open(key, true);
}

/**
 * out_array_end() - end an array
 */
void out_array_end(void)
{
	json_close();
}

/**
 * out_line() - end a line that must be seen at once
 */
void out_line(void)
{
	memset(&json, 0, sizeof(json));
	putchar('\n');
	fflush(stdout);
}

/* --- values -------------------------------------------------------------- */

/**
 * out_string() - print a string
 * @key: in JSON
 * @fmt: in text: with one %s; NULL: nothing
 * @value: the string
 */
void out_string(const char *key, const char *fmt, const char *value)
{
	if (out.json) {
		json_lead(key);
		json_quote(value);
	} else if (fmt) {
		out_text(fmt, value);
	}
}

/**
 * out_uint() - print a number
 * @key: in JSON
 * @fmt: in text: with one %s, which is exact; NULL: nothing
 * @value: the number
 */
void out_uint(const char *key, const char *fmt, uint64_t value)
{
	char word[OUT_WORD];

	snprintf(word, sizeof(word), "%llu", (unsigned long long)value);
	if (out.json) {
		json_lead(key);
		fputs(word, stdout);
	} else if (fmt) {
		out_text(fmt, word);
	}
}

/**
 * out_addr() - print an address
 * @key: in JSON
 * @fmt: in text: with one %s; NULL: nothing
 * @value: the address; NULL: nothing is printed
 */
void out_addr(const char *key, const char *fmt, const struct in6_addr *value)
{
	char word[OUT_WORD];

	if (value)
		out_string(key, fmt, out_addr_word(value, word));
}

/**
 * out_text() - print something in text mode
 * @fmt: as printf
 */
void out_text(const char *fmt, ...)
{
	va_list args;

	if (out.json)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

/**
 * out_addr_word() - write an address
 * @addr: address, or NULL
 * @word: OUT_WORD bytes
 *
 * Return: @word: IPv6, or IPv4 of a mapped address, or "-".
 */
const char *out_addr_word(const struct in6_addr *addr, char *word)
{
	if (!addr)
		strcpy(word, "-");
	else if (IN6_IS_ADDR_V4MAPPED(addr))
		inet_ntop(AF_INET, &addr->s6_addr[12], word, OUT_WORD);
	else
		inet_ntop(AF_INET6, addr, word, OUT_WORD);
	return word;
}

/**
 * out_prefix_word() - write a prefix, the length as it is written
 * @addr: the network
 * @len: bits that count, of an IPv6 address
 * @word: OUT_WORD bytes
 *
 * Return: @word.
 */
const char *out_prefix_word(const struct in6_addr *addr, uint32_t len,
			    char *word)
{
	char text[INET6_ADDRSTRLEN + 4];

	if (len >= 96 && IN6_IS_ADDR_V4MAPPED(addr))
		len -= 96;
	snprintf(text, sizeof(text), "/%u", len & 255);
	out_addr_word(addr, word);
	strcat(word, text);
	return word;
}

/**
 * out_prefix() - print a prefix, the length as it is written
 * @key: key in JSON
 * @fmt: in text: with one %s
 * @addr: the network; NULL: nothing is printed
 * @len: bits that count, of an IPv6 address
 */
void out_prefix(const char *key, const char *fmt, const struct in6_addr *addr,
		uint32_t len)
{
	char word[OUT_WORD];

	if (addr)
		out_string(key, fmt, out_prefix_word(addr, len, word));
}

/**
 * out_human() - write a number in at most five characters
 * @value: the number
 * @word: OUT_WORD bytes
 *
 * Exact with the option for details, and below 100,000.
 *
 * Return: @word.
 */
const char *out_human(uint64_t value, char *word)
{
	static const char units[] = "kMGTPE";
	double scaled = value;
	int unit = -1;

	if (out.details || value < 100000) {
		snprintf(word, OUT_WORD, "%llu", (unsigned long long)value);
		return word;
	}
	/* 999.5 would be rounded to four digits. */
	while (scaled >= 999.5) {
		scaled /= 1000;
		unit++;
	}
	snprintf(word, OUT_WORD, "%.*f%c",
		 scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0, scaled,
		 units[unit]);
	return word;
}

/**
 * out_nsec() - write a time
 * @ns: nanoseconds
 * @word: OUT_WORD bytes
 *
 * Return: @word: in a unit that suits it.
 */
const char *out_nsec(uint32_t ns, char *word)
{
	if (ns < 10000 || out.details)
		snprintf(word, OUT_WORD, "%uns", ns);
	else if (ns < 10000000)
		snprintf(word, OUT_WORD, "%.1fus", ns / 1e3);
	else
		snprintf(word, OUT_WORD, "%.1fms", ns / 1e6);
	return word;
}

/* --- tables -------------------------------------------------------------- */

/**
 * struct out_table - cells of a table, until all widths are known
 * @columns: columns
 * @n: how many
 * @cells: text of the cells, row by row
 * @used: cells
 * @size: room for cells
 */
struct out_table {
	const struct out_column *columns;
	int n;
	char **cells;
	size_t used;
	size_t size;
};

static void *out_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p) {
		fprintf(stderr, "mrcctl: out of memory\n");
		exit(2);
	}
	return p;
}

/**
 * out_table_new() - begin a table
 * @columns: its columns, for as long as the table lives
 * @n: how many
 *
 * Return: the table; never NULL.
 */
struct out_table *out_table_new(const struct out_column *columns, int n)
{
	struct out_table *table = out_alloc(NULL, sizeof(*table));

	*table = (struct out_table) { .columns = columns, .n = n };
	return table;
}

/**
 * out_table_cell() - add the next cell
 * @table: table
 * @fmt: as printf
 */
void out_table_cell(struct out_table *table, const char *fmt, ...)
{
	char word[2 * OUT_WORD];
	va_list args;

	if (table->used == table->size) {
		table->size = table->size ? 2 * table->size : 64;
		table->cells = out_alloc(table->cells,
					 table->size * sizeof(*table->cells));
	}
	va_start(args, fmt);
	vsnprintf(word, sizeof(word), fmt, args);
	va_end(args);
	table->cells[table->used] = out_alloc(NULL, strlen(word) + 1);
	strcpy(table->cells[table->used++], word);
}

/**
 * out_table_sid() - add a cell with the outer destination of a path
 * @table: table
 * @sid: the address, or NULL
 * @srh: segment of its SRH, or NULL
 */
void out_table_sid(struct out_table *table, const struct in6_addr *sid,
		   const struct in6_addr *srh)
{
	char word[OUT_WORD], segment[OUT_WORD];

	out_addr_word(sid, word);
	if (srh)
		out_table_cell(table, "%s srh %s", word,
			       out_addr_word(srh, segment));
	else
		out_table_cell(table, "%s", word);
}

static int out_column_width(const struct out_table *table, int column)
{
	size_t width = strlen(table->columns[column].title), len, i;

	for (i = column; i < table->used; i += table->n) {
		len = strlen(table->cells[i]);
		if (len > width)
			width = len;
	}
	return width;
}

static void out_table_put(const struct out_table *table, int column,
			  const char *word, int width)
{
	bool last = column == table->n - 1;

	if (!table->columns[column].left)
		printf("%*s", width, word);
	else if (last)
		fputs(word, stdout);
	else
		printf("%-*s", width, word);
	putchar(last ? '\n' : ' ');
}

static void out_table_print(const struct out_table *table, int indent)
{
	int *widths = out_alloc(NULL, table->n * sizeof(*widths));
	size_t i;
	int c;

	for (c = 0; c < table->n; c++)
		widths[c] = out_column_width(table, c);
	printf("%*s", indent, "");
	for (c = 0; c < table->n; c++)
		out_table_put(table, c, table->columns[c].title, widths[c]);
	for (i = 0; i < table->used; i++) {
		c = i % table->n;
		if (!c)
			printf("%*s", indent, "");
		out_table_put(table, c, table->cells[i], widths[c]);
	}
	free(widths);
}

/**
 * out_table_end() - print a table and free it
 * @table: table, or NULL; without a row, nothing is printed
 * @indent: spaces before each row
 */
void out_table_end(struct out_table *table, int indent)
{
	size_t i;

	if (!table)
		return;
	if (table->used)
		out_table_print(table, indent);
	for (i = 0; i < table->used; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table);
}
