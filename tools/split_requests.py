#!/usr/bin/env python3
"""One HTTPS address in front of several, a request to each in turn: what a Service does to replicas, without its luck.

  split_requests.py --listen 127.0.0.1:8443 --certificate crt.pem --key key.pem URL=CA.pem URL=CA.pem

Each URL is scheme, host and port of one server, with the file of the authority that its certificate is from. For
tools/bench-placement only: requests with a body go through, one connection a thread and server is kept. It listens
once all of them do.
"""
import argparse
import http.client
import http.server
import itertools
import socket
import ssl
import threading
import time
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer, text = self.server.ask(self.path, body)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("Content-Type", "application/json"))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def wait_for(url, ca):
    """Returns once the server listens and has written its certificate."""
    while True:
        try:
            open(ca).close()
            return socket.create_connection((url.hostname, url.port), 1).close()
        except OSError:
            time.sleep(0.1)


class Splitter(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address, targets):
        super().__init__(address, Handler)
        self.targets = [(url.netloc, ssl.create_default_context(cafile=ca)) for url, ca in targets]
        self.turn = itertools.cycle(range(len(targets)))       # next() of it is one step under the interpreter's lock
        self.kept = threading.local()

    def ask(self, path, body):
        i = next(self.turn)
        kept = self.kept.__dict__.setdefault("connections", {})
        for last in (False, True):
            try:
                if i not in kept:
                    host, context = self.targets[i]
                    kept[i] = http.client.HTTPSConnection(host, timeout=10, context=context)
                kept[i].request("POST", path, body, {"Content-Type": "application/json"})
                answer = kept[i].getresponse()
                return answer, answer.read()
            except (OSError, http.client.HTTPException):
                kept.pop(i, None)                              # it was closed while idle
                if last:
                    raise


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--listen", required=True)
    p.add_argument("--certificate", required=True)
    p.add_argument("--key", required=True)
    p.add_argument("targets", nargs="+", metavar="URL=CA")
    a = p.parse_args()
    targets = [(urllib.parse.urlsplit(url), ca) for url, ca in (t.rsplit("=", 1) for t in a.targets)]
    for target in targets:
        wait_for(*target)
    host, port = a.listen.rsplit(":", 1)
    server = Splitter((host, int(port)), targets)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(a.certificate, a.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
