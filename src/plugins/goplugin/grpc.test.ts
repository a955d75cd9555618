import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { frames, GrpcConnection } from "./grpc.ts";

const { signal } = new AbortController();
let folder: string;
let server: Http2Server;
let connection: GrpcConnection;
let serve: (stream: ServerHttp2Stream, path: string) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "grpc-"));
  server = createServer();
  server.on("stream", (stream, headers) => serve(stream, String(headers[":path"])));
  await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
  connection = new GrpcConnection(join(folder, "socket"));
});
afterEach(async () => {
  connection.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const frame = (text: string) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
};
const answer = (stream: ServerHttp2Stream, parts: readonly Buffer[], trailers: Record<string, string>) => {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.resume();
  for (const part of parts) stream.write(part);
  stream.end();
};
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test("a call goes there and back", async () => {
  serve = (stream, path) => {
    stream.on("data", (chunk: Buffer) =>
      answer(stream, [frame(`${path} ${chunk.subarray(5).toString()}`)], { "grpc-status": "0" }),
    );
  };
  expect(text(await connection.unary("/a.B/C", Buffer.from("x"), signal))).toBe("/a.B/C x");
});

test("a refusal carries its code and words", async () => {
  serve = (stream) => answer(stream, [], { "grpc-status": "2", "grpc-message": "no%20such%20disk" });
  await expect(connection.unary("/a", new Uint8Array(), signal)).rejects.toMatchObject({
    code: 2,
    message: "no such disk",
  });
});

test("a refusal in the headers alone is heard", async () => {
  serve = (stream) =>
    stream.respond(
      { ":status": 200, "grpc-status": "12", "grpc-message": "unimplemented" },
      { endStream: true },
    );
  await expect(connection.unary("/a", new Uint8Array(), signal)).rejects.toMatchObject({ code: 12 });
});

test("messages in a stream come one by one, however they were cut", async () => {
  serve = (stream) => {
    const all = Buffer.concat([frame("one"), frame(""), frame("three")]);
    answer(stream, [all.subarray(0, 3), all.subarray(3, 9), all.subarray(9)], { "grpc-status": "0" });
  };
  expect(await Array.fromAsync(connection.call("/a", [new Uint8Array()], signal), text)).toEqual([
    "one",
    "",
    "three",
  ]);
});

test("an answer that is cut off, or has no status, is an error", async () => {
  serve = (stream) => answer(stream, [frame("whole").subarray(0, 7)], { "grpc-status": "0" });
  await expect(connection.unary("/a", new Uint8Array(), signal)).rejects.toMatchObject({ code: 14 });
  serve = (stream) => answer(stream, [frame("x")], {});
  await expect(connection.unary("/a", new Uint8Array(), signal)).rejects.toThrow("the answer has no status");
});

test("a call that is no longer wanted ends", async () => {
  const stop = new AbortController();
  serve = () => stop.abort(new Error("enough"));
  await expect(connection.unary("/a", new Uint8Array(), stop.signal)).rejects.toThrow("enough");
});

test("a server that goes away fails the call", async () => {
  serve = (stream) => stream.session?.destroy();
  await expect(connection.unary("/a", new Uint8Array(), signal)).rejects.toMatchObject({ name: "GrpcError" });
});

test("frames() refuses what it did not ask for", async () => {
  const chunks = async function* (bytes: string) {
    yield Buffer.from(bytes, "hex");
  };
  await expect(Array.fromAsync(frames(chunks("0100000000")))).rejects.toThrow("compressed");
  await expect(Array.fromAsync(frames(chunks("00ffffffff")))).rejects.toThrow(
    "a message has 4294967295 bytes",
  );
});
