# SPDX-License-Identifier: BSD-2-Clause
"""What the driver and a peer say to each other; see frame.h."""
import struct


def read_exactly(stream, count):
    data = stream.read(count)
    if len(data) != count:
        raise EOFError("a frame is cut off")
    return data


def read_frame(stream):
    """The items of the next frame, or None at the end."""
    head = stream.read(4)
    if len(head) != 4:
        return None
    data = read_exactly(stream, struct.unpack(">I", head)[0])
    items = []
    at = 0
    while at < len(data):
        length, = struct.unpack_from(">I", data, at)
        items.append(data[at + 4:at + 4 + length])
        at += 4 + length
    return items


def write_frame(stream, items):
    data = b"".join(struct.pack(">I", len(item)) + item for item in items)
    stream.write(struct.pack(">I", len(data)) + data)
    stream.flush()
