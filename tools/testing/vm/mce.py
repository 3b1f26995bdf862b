#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# mce.py QEMU [ARGUMENT]...: run QEMU in this folder, and let the guest have machine checks
# where it asks for them. See mce.c for who asks. Lines of the guest's third serial port:
#
#	arm START INSN SKIP PHYS
#				in the function at START, at its instruction at INSN, after
#				that has run SKIP times, if the source of the call is in the
#				physical page PHYS, or anywhere if that is 0: answered with
#				"armed"
#	disarm			answered with the machine checks that there were since, the
#				address that was loaded, and how often that line was read
#				afterwards
#
# The debugger's port of QEMU stops the guest in front of the instruction, and passes the
# command of QEMU's monitor on that makes the CPU take a machine check. So the kernel sees
# it come from just that load, as a CPU would have it. Memory itself has no error: that the
# line is read again is seen by a watchpoint.
import os
import select
import socket
import subprocess
import sys
import time

GDB = "gdb.socket"
SERIAL = "serial.socket"

# VAL, UC, EN, MISCV, ADDRV, S, AR and the code of a data load; RIPV, EIPV, MCIP; and the
# error concerns the page. See "Machine-check architecture" in the SDM, volume 3.
STATUS = 0xbd80000000000134
MCG_STATUS = 7
MISC = 0x8c

LINE = 64
PAGE = 4096


def connect(path):
    while not os.path.exists(path):
        time.sleep(0.05)
    s = socket.socket(socket.AF_UNIX)
    while True:
        try:
            s.connect(path)
            return s
        except ConnectionRefusedError:
            time.sleep(0.05)


class Ended(Exception):
    """QEMU is gone."""


class Gdb:
    """QEMU's end of a debugger, which it calls by gdb's remote protocol."""

    def __init__(self):
        self.socket = connect(GDB)
        self.buffer = b""

    def fill(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            raise Ended
        self.buffer += data

    def write(self, data):
        try:
            self.socket.sendall(data)
        except BrokenPipeError:
            raise Ended

    def packet(self):
        while True:
            start = self.buffer.find(b"$")
            end = self.buffer.find(b"#", start)
            if start >= 0 and end >= 0 and len(self.buffer) >= end + 3:
                body = self.buffer[start + 1:end].decode()
                self.buffer = self.buffer[end + 3:]
                self.write(b"+")
                return body
            self.fill()

    def send(self, body):
        self.write(b"$%s#%02x" % (body.encode(), sum(body.encode()) % 256))

    def ask(self, body):
        self.send(body)
        return self.packet()

    def must(self, body):
        answer = self.ask(body)
        if answer != "OK":
            sys.exit("QEMU answers '%s' to '%s'" % (answer, body))

    def monitor(self, command):
        said = ""
        self.send("qRcmd," + command.encode().hex())
        while True:
            answer = self.packet()
            if answer == "OK":
                return said
            if not answer.startswith("O"):
                sys.exit("QEMU's monitor answers '%s' to '%s'" % (answer, command))
            said += bytes.fromhex(answer[1:]).decode()

    def registers(self):
        """rsi and rip"""
        g = bytes.fromhex(self.ask("g")[:17 * 16])
        return [int.from_bytes(g[8 * n:8 * n + 8], "little") for n in (4, 16)]

    def stop(self):
        self.write(b"\x03")
        return self.packet()


def displacement(code):
    """That of an instruction that loads from an address in rsi."""
    i = 0
    scale = 1
    while code[i] in (0x66, 0xf2, 0xf3):
        i += 1
    if code[i] & 0xf0 == 0x40:
        i += 1
    if code[i] in (0xa4, 0xa5):
        return 0
    if code[i] == 0xc5:
        i += 3
    elif code[i] == 0xc4:
        i += 4
    elif code[i] == 0x62:
        # The displacement counts vectors.
        scale = 16 << (code[i + 3] >> 5 & 3)
        i += 5
    elif code[i] == 0x0f:
        i += 3 if code[i + 1] in (0x38, 0x3a) else 2
    else:
        i += 1
    mod, rm = code[i] >> 6, code[i] & 7
    if mod == 3 or rm != 6:
        sys.exit("no load from (rsi): " + code.hex())
    if mod == 0:
        return 0
    if mod == 1:
        return scale * int.from_bytes(code[i + 1:i + 2], "little", signed=True)
    return int.from_bytes(code[i + 1:i + 5], "little", signed=True)


class Guest:
    def __init__(self):
        self.gdb = Gdb()
        self.serial = connect(SERIAL)
        self.breakpoints = set()
        self.watched = None
        self.line = b""

    def set_break(self, at):
        if at not in self.breakpoints:
            self.gdb.must("Z1,%x,1" % at)
            self.breakpoints.add(at)

    def remove_break(self, at):
        if at in self.breakpoints:
            self.gdb.must("z1,%x,1" % at)
            self.breakpoints.remove(at)

    def arm(self, start, insn, skip, phys):
        self.start, self.insn, self.skip, self.phys = start, insn, skip, phys
        self.hits = self.addr = self.again = 0
        self.set_break(start)

    def disarm(self):
        for at in list(self.breakpoints):
            self.remove_break(at)
        if self.watched is not None:
            self.gdb.must("z3,%x,%x" % (self.watched, LINE))
            self.watched = None

    def physical(self, addr):
        said = self.gdb.monitor("gva2gpa 0x%x" % addr)
        return int(said.split("gpa: ")[1], 16)

    def inject(self, addr):
        self.gdb.monitor("mce 0 1 0x%x %d 0x%x 0x%x" %
                         (STATUS, MCG_STATUS, self.physical(addr), MISC))
        self.disarm()
        self.hits += 1
        self.addr = addr
        # Who copies on write looks at it again later, and may.
        if not self.phys:
            self.watched = addr - addr % LINE
            self.gdb.must("Z3,%x,%x" % (self.watched, LINE))

    def stopped(self, why):
        """It has reached an instruction, or has read the line again."""
        if "watch" in why:
            self.again += 1
            return
        rsi, rip = self.gdb.registers()
        if rip not in self.breakpoints:
            sys.exit("stopped at %x: %s" % (rip, why))
        if rip == self.start:
            if not self.phys or self.physical(rsi) // PAGE == self.phys // PAGE:
                self.set_break(self.insn)
            elif self.insn != self.start:
                self.remove_break(self.insn)
        if rip == self.insn:
            if not self.skip:
                # Only here the kernel is mapped for sure.
                code = bytes.fromhex(self.gdb.ask("m%x,10" % rip))
                self.inject(rsi + displacement(code))
                return
            self.skip -= 1
        # Over it, and back.
        self.remove_break(rip)
        self.gdb.ask("s")
        self.set_break(rip)

    def request(self, line):
        self.gdb.stop()
        words = line.split()
        if words[0] == "arm":
            self.arm(int(words[1], 16), int(words[2], 16), int(words[3]), int(words[4], 16))
            answer = "armed"
        else:
            self.disarm()
            answer = "%d %x %d" % (self.hits, self.addr, self.again)
        self.gdb.send("c")
        self.serial.sendall(answer.encode() + b"\n")

    def run(self):
        self.gdb.send("c")
        while True:
            ready = select.select([self.gdb.socket, self.serial], [], [])[0]
            if self.gdb.socket in ready:
                self.gdb.fill()
                if b"$" not in self.gdb.buffer:
                    self.gdb.buffer = b""
                    continue
                why = self.gdb.packet()
                if why[0] in "WX":
                    return
                self.stopped(why)
                self.gdb.send("c")
            elif self.serial in ready:
                data = self.serial.recv(4096)
                if not data:
                    raise Ended
                self.line += data
                while b"\n" in self.line:
                    line, self.line = self.line.split(b"\n", 1)
                    self.request(line.decode())


def main():
    for path in (GDB, SERIAL):
        if os.path.exists(path):
            os.unlink(path)
    qemu = subprocess.Popen(sys.argv[1:] + [
        "-S", "-chardev", "socket,id=gdb,path=%s,server=on,wait=off" % GDB,
        "-gdb", "chardev:gdb",
        "-chardev", "socket,id=mce,path=%s,server=on,wait=off" % SERIAL,
        "-serial", "chardev:mce"], stdin=subprocess.DEVNULL)
    try:
        Guest().run()
    except Ended:
        pass
    except SystemExit:
        qemu.terminate()
        qemu.wait()
        raise
    return qemu.wait()


if __name__ == "__main__":
    sys.exit(main())
