"""tests/websocket.py -- a small web socket client, of Python's own modules only."""
import base64
import json
import os
import socket
import struct
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    pass


class WebSocket:
    def __init__(self, port, path="/socket", origin=None, host=None, timeout=20):
        host = host or "localhost:%d" % port
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET %s HTTP/1.1" % path, "Host: %s" % host, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: " + key,
                 "Sec-WebSocket-Version: 13"]
        if origin != "":
            lines.append("Origin: " + (origin or "http://" + host))
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            more = self.socket.recv(4096)
            if not more:
                raise Refused(answer.decode(errors="replace"))
            answer += more
        head, self.rest = answer.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            self.socket.close()
            raise Refused(head.decode(errors="replace"))

    def take(self, count):
        while len(self.rest) < count:
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError("the server has closed the socket")
            self.rest += more
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def send_frame(self, kind, payload, whole=True):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([kind | (128 if whole else 0)])
        if size < 126:
            head += bytes([128 | size])
        elif size < 65536:
            head += bytes([128 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([128 | 127]) + struct.pack(">Q", size)
        pattern = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")).to_bytes(size, "big") if size else b""
        self.socket.sendall(head + mask + masked)

    def say(self, **message):
        self.send_frame(TEXT, json.dumps(message).encode())

    def receive(self):
        """The kind and the bytes of the next message; pings are answered."""
        payload = b""
        kind = None
        while True:
            first, second = self.take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            data = self.take(size)
            if first & 15 == PING:
                self.send_frame(PONG, data)
                continue
            if first & 15 == CLOSE:
                raise EOFError("the server has closed the socket")
            kind = kind or first & 15
            payload += data
            if first & 128:
                return kind, payload

    def close(self):
        self.socket.close()


class Page(WebSocket):
    """A page without a picture: asks for frames and understands them."""

    def __init__(self, port, **more):
        super().__init__(port, **more)
        self.texts, self.scene, self.topology, self.frame, self.notes = [], None, None, None, []

    def understand(self, kind, payload):
        if kind == TEXT:
            message = json.loads(payload)
            self.texts.append(message)
            if message["kind"] == "scene":
                self.scene = message
            return message["kind"]
        what, length = struct.unpack_from("<II", payload)
        head = json.loads(payload[8:8 + length])
        numbers = payload[8 + length:]
        if what == 1:
            self.topology = dict(head, bytes=numbers)
            return "topology"
        self.frame = head
        self.bodies, at = [], 0
        for body in self.topology["bodies"]:
            count = body["vertices"]
            floats = struct.unpack_from("<%df" % (3 * count), numbers, at)
            values = struct.unpack_from("<%df" % count, numbers, at + 24 * count) if head["values"] else None
            self.bodies.append({"positions": floats, "values": values})
            at += (28 if head["values"] else 24) * count
        bending = sum(12 * thing["vertices"] for thing in self.topology["objects"] if thing["bends"])
        self.flows, at = [], at + bending
        for flow, (vertices, triangles) in zip(self.topology["flows"], head["flows"]):
            floats = 4 if flow["points"] else 7 if head["values"] else 6
            positions = struct.unpack_from("<%df" % (3 * vertices), numbers, at)
            at += 4 * floats * vertices
            self.flows.append({"positions": positions, "triangles": struct.unpack_from("<%di" % (3 * triangles), numbers, at)})
            at += 12 * triangles
        assert at == len(numbers), (at, len(numbers))
        return "frame"

    def next(self):
        """Ask for a frame and wait for it."""
        self.say(kind="frame")
        while self.understand(*self.receive()) != "frame":
            pass
        return self.frame

    def wait_for(self, kind, seconds=10):
        """The next text of a kind."""
        until = time.time() + seconds
        seen = len(self.texts)
        self.say(kind="frame")
        while time.time() < until:
            for text in self.texts[seen:]:
                seen += 1
                if text["kind"] == kind:
                    return text
            if self.understand(*self.receive()) == "frame":
                self.say(kind="frame")
        raise TimeoutError("no %s came" % kind)

    def watch(self, until, seconds=10):
        """Frames until one satisfies a condition."""
        end = time.time() + seconds
        while time.time() < end:
            if until(self.next()):
                return self.frame
        raise TimeoutError("it did not happen; the last frame: %s" % self.frame)

    def middle(self, body=0):
        x = self.bodies[body]["positions"]
        count = len(x) // 3
        return [sum(x[i::3]) / count for i in range(3)]
