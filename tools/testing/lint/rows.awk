# SPDX-License-Identifier: GPL-2.0
#
# Holds the code of each routine against its row, for one width.
#
# In:	-v bits=64 or 32; a file of rows, "ROW kind name GUARD | fields | text";
#	then, for each object, a line "object FILE", and what objdump -s -r and
#	objdump -t -d -w -r --insn-width=16 say of it
# Out:	"row KIND/NAME GUARD BYTES" and "bad KIND/NAME RULE MESSAGE WHERE", with
#	tabs between; a symbol without a row goes by its own name
#
# A rule is a call of complain(). Each needs a routine in controls.S that breaks
# it and nothing else, called RULE or RULE_variant: rows.sh fails without.

BEGIN {
	# A longer loop takes more than its share of an instruction cache that
	# the caller's own code is in: 512 bytes are 1/16 of that of a Pentium
	# Pro and 1/64 of today's 32 KiB.
	max_bytes = 512

	# All encodings of a repeated string instruction that are in use. Others
	# change the meaning, or carry a REX prefix that means nothing, which
	# hangs some CPUs (CVE-2023-23583).
	split("f3 a4,f3 aa," (bits == 64 ? "f3 48 a5,f3 48 ab" : "f3 a5,f3 ab"), part, ",")
	for (i in part)
		string[part[i]]

	# The one variable that a routine may write to.
	counter = "simd_odd_traps"

	# The kernel's types of a fixup that finds the trap number in eax, after a page
	# fault, and after a machine check as well.
	ex_type["to_user"] = 2
	ex_type["copy_mc"] = 15

	privileged = "^(cli|sti|clac|stac|hlt|in|out|lgdt|lidt|lldt|ltr|lmsw|clts|invlpg|" \
		"invd|wbinvd|rdmsr|wrmsr|xsetbv|swapgs|syscall|sysenter|int|[il]ret|ljmp)[bwlq]?$"
}

function hex(s,		n) {
	for (n = 0; s != ""; s = substr(s, 2))
		n = 16 * n + index("0123456789abcdef", substr(s, 1, 1)) - 1
	return n
}

# A word of a section, whose bytes objdump -s prints in their order.
function value(s) {
	return hex(substr(s, 7, 2) substr(s, 5, 2) substr(s, 3, 2) substr(s, 1, 2))
}

function complain(rule, message, i) {
	if ((rule, who) in said)
		return
	said[rule, who]
	print "bad", who, rule, message, \
		i ? sprintf("+0x%x: %s", addr[i] - start, text[i]) : "whole routine"
}

# The operand written to comes last. The braces are an AVX-512 mask.
function destination(ops) {
	sub(/\{.*$/, "", ops)
	if (ops ~ /\)$/)
		match(ops, /[^,]*\([^()]*\)$/)
	else
		match(ops, /[^,]*$/)
	return substr(ops, RSTART)
}

function decode(i,	ops, dst) {
	ops = text[i]
	sub(/ +#.*$/, "", ops)
	while (ops ~ /^(lock|rep[nz]*|bnd|notrack|data16|addr32|[c-gs]s|rex[.WRXB]*) /)
		sub(/^[^ ]+ +/, "", ops)
	name[i] = ops
	sub(/[ ,].*$/, "", name[i])
	sub(/^[^ ]+ */, "", ops)
	dst = destination(ops)

	ret[i] = name[i] ~ /^ret[lq]?$/
	jump[i] = name[i] ~ /^(j|loop|xbegin)/
	leaves[i] = name[i] ~ /^l?call[wlq]?$/ || jump[i] && (reloc[i] != "" || ops ~ /\*/)
	if (jump[i] && !leaves[i])
		goes[i] = hex(substr(ops, 1, match(ops, /[^0-9a-f]/) - 1))

	nt[i] = name[i] ~ /^v?movnt/ && name[i] !~ /movntdqa/ ||
		name[i] ~ /^(v?maskmov(q|dqu)|movdir(i|64b)|clzero|enqcmds?)$/
	memory[i] = dst != "" && dst !~ /^[$%]/ || dst ~ /^%[c-gs]s:/
	if (jump[i] || leaves[i] ||
	    name[i] ~ /^((cmp|test|bt|nop|lea)[bwlq]?|prefetch.*)$/)
		memory[i] = 0
	stores[i] = nt[i] || memory[i] || name[i] ~ /^push/
	fixed[i] = memory[i] && (reloc[i] != "" || dst ~ /%[er]ip/ || dst !~ /\(%/)
	faults[i] = stores[i] && !fixed[i] && name[i] !~ /^push/
	reaches[i] = faults[i] || ops ~ /\(%/ && ops !~ /%[er]?[is]p\)/ &&
		name[i] !~ /^((nop|lea)[bwlq]?|prefetch.*)$/

	loads[i] = reaches[i] && substr(ops, 1, length(ops) - length(dst)) ~ /\(%/

	x87[i] = ops ~ /%(st|mm)/ || name[i] ~ /^(f|emms|xsave|xrstor)/
	vector[i] = ops ~ /%([xyzt]mm|k[0-7])/ || name[i] ~ /^vzero|mxcsr|tile/
	upper[i] = ops ~ /%[yz]mm([0-9]|1[0-5])([^0-9]|$)/
}

#
# Does each way out of the routine pass @wanted, with nothing of @spoils after
# it? Returns the RET that one does not, or 0.
#
# Walks from each RET towards lower addresses, and gives up where a jump arrives:
# it may come from where @wanted was passed by. That refuses some correct code as
# well, such as a fence before the jump to a shared RET, but accepts no other. A
# jump that leaves on the way does not matter: it is bound for another RET, or
# arrives at an instruction that the walk stops at.
#
function misses(wanted, spoils,		i, k) {
	for (i = first; i <= last; i++) {
		if (!ret[i])
			continue
		for (k = i; k > first && !(addr[k] in target); ) {
			k--
			if (name[k] == wanted || spoils[k])
				break
		}
		if (name[k] != wanted)
			return i
	}
	return 0
}

# Does it write to the counter, and to nothing around it?
function counts(i) {
	if (bits == 64)
		return symbol[i] == counter "-0x4"
	return symbol[i] == counter && text[i] ~ / 0x0$/
}

function check_any(	i) {
	if (size > max_bytes)
		complain("size", size " bytes of code, which is more than " max_bytes)
	for (i = last; i > first && name[i] == "int3"; )
		i--
	if (!ret[i] && name[i] != "jmp")
		complain("end", "runs on into what follows it", i)

	for (i = first; i <= last; i++) {
		if (text[i] ~ /\(bad\)/)
			complain("decode", "objdump cannot tell what this is", i)
		if (leaves[i] || jump[i] && (goes[i] < start || goes[i] >= start + size))
			complain("call", "calls, or jumps out of the routine", i)
		if (name[i] ~ /^(std|popf[wlq]?)$/)
			complain("std", "changes the direction flag", i)
		if (name[i] ~ privileged && !(kind_of == "to_user" && name[i] ~ /^(st|cl)ac$/) ||
		    text[i] ~ /%(cr|db|dr)[0-9]/)
			complain("privileged", "privileged instruction", i)
		if (text[i] ~ /(^| )rex/ || text[i] ~ /(^| )rep/ && !(bytes[i] in string))
			complain("string", "not one of the plain encodings of rep movs and rep stos", i)
		if (fixed[i] && !(kind_of in ex_type && counts(i)))
			complain("store", "stores to a fixed address", i)
	}
}

function check_stream(stream,	i, streams) {
	for (i = first; i <= last; i++) {
		if (!nt[i])
			continue
		streams = 1
		if (!stream)
			complain("nt", "non-temporal store, but the row does not say STREAM", i)
	}
	if (!stream)
		return
	if (!streams)
		complain("stream", "the row says STREAM, but no store is non-temporal")
	else if (i = misses("sfence", stores))
		complain("sfence", "no sfence between the last store and a ret", i)
}

function check_guard(guard,	i, uses_upper) {
	for (i = first; i <= last; i++) {
		if (guard == "NONE" && (x87[i] || vector[i]))
			complain("none", "guard NONE, but touches vector or x87 state", i)
		if (guard == "MMX" && vector[i])
			complain("mmx", "guard MMX, but touches vector state", i)
		if (guard == "XMM" && x87[i])
			complain("xmm", "guard XMM, but touches MMX or x87 state", i)
		# Floating point obeys the owner's MXCSR, and may trap on it.
		if (guard == "XMM" && vector[i] && (name[i] ~ /mxcsr/ ||
		    name[i] !~ /^([kv]?(mask)?mov|v?(p|xorp)|vzero)/))
			complain("mxcsr", "guard XMM, but neither a move nor integer", i)
		uses_upper += upper[i]
	}
	if (guard == "MMX" && (i = misses("emms", x87)))
		complain("emms", "no emms between the last use of MMX and a ret", i)
	if (guard == "XMM" && uses_upper && (i = misses("vzeroupper", upper)))
		complain("vzeroupper", "no vzeroupper between the last use of ymm0-15 and a ret", i)
}

#
# Where does a load or store that faults go on? Entry @e of the exception table has to
# be of one, and lead to where the routine can tell why.
#
function check_entry(e,	i, k) {
	for (i = first; i <= last && addr[i] != ex_insn[e]; i++)
		;
	if (i > last || !(kind_of in ex_type) || !reaches[i] || kind_of == "copy_mc" && !loads[i])
		complain("entry", "exception table entry of what reaches no memory, or must not fault",
			i <= last ? i : 0)
	for (k = first; k <= last && addr[k] != ex_fixup[e]; k++)
		;
	if (k > last || ex_fixup_section[e] != ex_section[e] ||
	    kind_of in ex_type && ex_type_of[e] != ex_type[kind_of])
		complain("fixup", "the fixup is not in the routine, or not told the trap",
			i <= last ? i : 0)
	has_entry[i]
}

# On some CPUs a machine check in a string instruction is not survived.
function check_mc(vetoed,	i) {
	for (i = first; i <= last; i++) {
		if (loads[i] && !(i in has_entry))
			complain("noentry", "load or store without an exception table entry", i)
		if (bytes[i] in string && !vetoed)
			complain("fragile", "string instruction, but no VETO(COPY_MC_FRAGILE)", i)
	}
}

function check_user(	i, open, late) {
	for (i = first; i <= last; i++) {
		if (reaches[i] && !(i in has_entry))
			complain("noentry", "load or store without an exception table entry", i)
		if (name[i] == "stac") {
			open++
			late += addr[i] in target
		} else if (!open)
			late += faults[i] || jump[i]
	}
	if (open != 1 || late)
		complain("stac", "not one stac, before all stores and jumps")
	if (i = misses("clac", faults))
		complain("clac", "no clac between the last store and a ret", i)
}

function check(s,	i, e) {
	if (s == counter && sym_object[s])
		return
	who = (s in row) ? row[s] : s
	kind_of = who
	sub(/\/.*/, "", kind_of)
	start = sym_start[s]
	size = sym_size[s]
	found[s]
	if (!(s in row)) {
		complain("norow", "global, but no row of routines.def is of that name")
		return
	}

	first = 0
	split("", target)
	for (i = file_first; i <= n; i++) {
		if (section[i] != sym_section[s] || addr[i] < start || addr[i] >= start + size)
			continue
		if (!first)
			first = i
		last = i
		if (jump[i] && !leaves[i])
			target[goes[i]]
	}
	split("", has_entry)
	for (e = 1; e <= nr_entries; e++)
		if (ex_fixup_section[e] == sym_section[s])
			target[ex_fixup[e]]
	if (!first || !sym_function[s]) {
		complain("function", "not a function with code, .type and .size")
		return
	}

	print "row", who, guard_of[s], size
	check_any()
	for (e = 1; e <= nr_entries; e++)
		if (ex_section[e] == sym_section[s] && ex_insn[e] >= start &&
		    ex_insn[e] < start + size)
			check_entry(e)
	if (kind_of == "to_user")
		check_user()
	if (kind_of == "copy_mc")
		check_mc(fields[s] ~ /VETO\(COPY_MC_FRAGILE\)/)
	check_stream(fields[s] ~ /(^|[ ,])STREAM([ ,]|$)/)
	check_guard(guard_of[s])
}

function end_file(	s) {
	for (s = 1; s <= nr_syms; s++)
		check(syms[s])
	nr_syms = nr_entries = in_table = 0
	split("", ex_addend)
	file_first = n + 1
}

BEGIN { OFS = FS = "\t" }

FNR == NR {
	if (split($0, part, / *[|] */) < 3 || split(part[1], word, " ") != 4 || word[1] != "ROW")
		next
	order[++rows] = "simd_" word[2] "_" word[3]
	row[order[rows]] = word[2] "/" word[3]
	guard_of[order[rows]] = word[4]
	fields[order[rows]] = part[2]
	next
}

/^object / { end_file(); next }

#
# The exception table: words are insn, fixup, type. Of a word that is relocated,
# one width has the offset in the relocation, the other in the section.
#
/^(RELOCATION RECORDS FOR|Contents of section) / {
	in_table = $0 ~ /__ex_table/
	next
}
in_table && /^[0-9a-f]+ +R_(X86_64|386)_PC32 / {
	split($0, part, " ")
	at = hex(part[1]) / 4
	e = int(at / 3) + 1
	split(part[3], word, "[+]0x")
	if (at % 3)
		ex_fixup_section[e] = word[1]
	else
		ex_section[e] = word[1]
	ex_addend[at] = hex(word[2])
	next
}
in_table && /^ [0-9a-f]+ [0-9a-f]/ {
	sub(/^ /, "")
	sub(/  .*$/, "")
	words = split($0, part, " ")
	at = hex(part[1]) / 4
	for (i = 2; i <= words; i++) {
		nr_entries = int(at / 3) + 1
		if (at % 3 == 0)
			ex_insn[nr_entries] = value(part[i]) + ex_addend[at]
		else if (at % 3 == 1)
			ex_fixup[nr_entries] = value(part[i]) + ex_addend[at]
		else
			ex_type_of[nr_entries] = value(part[i])
		at++
	}
	next
}

/^Disassembly of section / { now = $0; sub(/^.* /, "", now); sub(/:$/, "", now); next }

# A symbol: address, seven flags, section, tab, size, name.
/^[0-9a-f]+ [lgu! ][w ][C ][W ][Ii ][dD ][FfO ] / {
	split($1, part, " ")
	at = part[1]
	kind = substr($1, length(at) + 2, 7)
	in_section = substr($1, length(at) + 10)
	if (kind ~ /^l/ || in_section == "*UND*")
		next
	split($2, part, " ")
	s = $2
	sub(/^.* /, "", s)
	syms[++nr_syms] = s
	sym_start[s] = hex(at)
	sym_size[s] = hex(part[1])
	sym_section[s] = in_section
	sym_function[s] = kind ~ /F$/
	sym_object[s] = kind ~ /O$/
	next
}

/^ *[0-9a-f]+:\t/ {
	n++
	sub(/^ */, "", $1)
	sub(/ +$/, "", $2)
	addr[n] = hex(substr($1, 1, length($1) - 1))
	bytes[n] = $2
	text[n] = $3
	sub(/ +$/, "", text[n])
	reloc[n] = $4
	symbol[n] = $5
	section[n] = now
	decode(n)
}

END {
	end_file()
	start = 0
	for (i = 1; i <= rows; i++) {
		who = row[order[i]]
		if (!(order[i] in found))
			complain("nosymbol", "no routine " order[i] " in any simd_*.S")
	}
}
