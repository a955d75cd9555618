import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect as connectSocket } from "node:net";
import { messageOf } from "../../errors.ts";

/** What a message may have: lists of the keys of big buckets are the largest. */
const messageLimit = 256 << 20;

/** What the other side may send of an answer before it waits for us: an item of any usual size. */
const windowBytes = 1 << 20;

/** A refusal of the other side. */
class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message === "" ? `gRPC status ${code}` : message);
    this.code = code;
  }
}

/** gRPC over plain HTTP/2 on a socket of this machine: no TLS, no compression, no retries. */
export class GrpcConnection {
  readonly #session: ClientHttp2Session;

  /** `address` is the path of a unix socket, or a port on this machine. */
  constructor(address: string | { readonly host: string; readonly port: number }) {
    this.#session = connect("http://localhost", {
      createConnection: () =>
        typeof address === "string" ? connectSocket({ path: address }) : connectSocket(address),
      settings: { enablePush: false, initialWindowSize: windowBytes },
    });
    this.#session.on("connect", (session) => session.setLocalWindowSize(16 * windowBytes));
    this.#session.on("error", () => undefined); // each call hears of it by itself
  }

  /** One message there, one back. Without the machinery of streams: item actions make thousands of these calls. */
  unary(path: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    if (signal.aborted) reject(signal.reason);
    else {
      try {
        this.#unary(path, request, { signal, resolve, reject });
      } catch (error) {
        reject(new GrpcError(14, messageOf(error))); // the session is gone
      }
    }
    return promise;
  }

  #unary(
    path: string,
    request: Uint8Array,
    {
      signal,
      resolve,
      reject,
    }: {
      readonly signal: AbortSignal;
      readonly resolve: (answer: Uint8Array) => void;
      readonly reject: (why: unknown) => void;
    },
  ): void {
    const stream = this.#session.request(headersOf(path));
    const answer = new Answer(stream);
    const parts: Buffer[] = [];
    let bytes = 0;
    let failure: Error | undefined;
    const give = () => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(signal.reason);
    };
    signal.addEventListener("abort", give, { once: true });
    stream.on("data", (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes <= messageLimit + 5) return;
      failure = new GrpcError(8, `a message has more than ${messageLimit} bytes`);
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on("error", (error) => {
      failure ??= new GrpcError(14, messageOf(error));
    });
    stream.on("close", () => {
      signal.removeEventListener("abort", give);
      try {
        answer.check(failure);
        resolve(onlyFrame(parts, path));
      } catch (error) {
        reject(error);
      }
    });
    stream.end(framed(request));
  }

  /** Many messages there, one back. */
  async collect(
    path: string,
    requests: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    let answer: Uint8Array | undefined;
    for await (const message of this.call(path, requests, signal)) answer = message;
    if (answer === undefined) throw new GrpcError(13, `${path} gave no answer`);
    return answer;
  }

  /** Messages there, messages back; ends with the status, which is thrown unless it is fine. */
  async *call(
    path: string,
    requests: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    signal.throwIfAborted();
    const stream = this.#session.request(headersOf(path), { signal });
    const answer = new Answer(stream);
    const sending = send(stream, requests);
    try {
      yield* frames(stream);
      await sending;
      await answer.end();
    } catch (error) {
      signal.throwIfAborted();
      // A refusal in the middle closes the stream; the status tells why, the closed stream does not.
      const refusal = answer.refusal;
      throw refusal ?? (error instanceof GrpcError ? error : new GrpcError(14, messageOf(error)));
    } finally {
      if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
      await sending.catch(() => undefined); // told above, or no longer of interest
    }
  }

  /** Whether nothing can be asked any more. */
  get isClosed(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  close(): void {
    this.#session.destroy();
  }
}

/** What the headers and trailers of an answer say. */
class Answer {
  readonly #ended = Promise.withResolvers<void>();
  #status: number | undefined;
  #message = "";
  #http = 0;

  constructor(stream: ClientHttp2Stream) {
    stream.on("response", (headers) => {
      this.#http = Number(headers[":status"] ?? 0);
      this.#take(headers);
    });
    stream.on("trailers", (headers) => this.#take(headers));
    stream.on("close", () => this.#ended.resolve());
    stream.on("error", () => this.#ended.resolve()); // the reader of the stream throws it
  }

  get refusal(): GrpcError | undefined {
    return this.#status === undefined || this.#status === 0
      ? undefined
      : new GrpcError(this.#status, this.#message);
  }

  async end(): Promise<void> {
    await this.#ended.promise;
    this.check();
  }

  /** Throws unless the call went well; a refusal tells more than the way in which the stream broke. */
  check(failure?: Error): void {
    if (this.refusal) throw this.refusal;
    if (failure !== undefined) throw failure;
    if (this.#status === undefined)
      throw new GrpcError(14, `the answer has no status${this.#http ? ` (HTTP ${this.#http})` : ""}`);
  }

  #take(headers: Readonly<Record<string, unknown>>): void {
    const status = headers["grpc-status"];
    if (status !== undefined) this.#status = Number(status);
    const message = headers["grpc-message"];
    if (typeof message === "string") this.#message = decoded(message);
  }
}

function headersOf(path: string): OutgoingHttpHeaders {
  return {
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    "user-agent": "headway",
  };
}

/** A message as it goes over the wire: a flag, a length, the content. */
function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(5 + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** The message of an answer that has just one. */
function onlyFrame(parts: readonly Buffer[], path: string): Uint8Array {
  const [first = Buffer.alloc(0)] = parts;
  const all = parts.length > 1 ? Buffer.concat(parts) : first;
  if (all.length === 0) throw new GrpcError(13, `${path} gave no answer`);
  if (all.length < 5) throw new GrpcError(14, "the answer is cut off");
  const length = lengthOf(all);
  if (all.length < 5 + length) throw new GrpcError(14, "the answer is cut off");
  return all.subarray(5, 5 + length);
}

async function send(
  stream: ClientHttp2Stream,
  requests: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const message of requests) {
      if (stream.closed || stream.destroyed) return;
      if (!stream.write(framed(message))) await drained(stream);
    }
    stream.end();
  } catch (error) {
    stream.close(constants.NGHTTP2_CANCEL);
    throw error;
  }
}

/** Resolves when there is room again, or nothing more will be taken. */
function drained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
  });
}

/** The messages of a stream of bytes: a flag, a length, the content. */
export async function* frames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const held = new Held();
  let length: number | undefined;
  for await (const chunk of chunks) {
    held.add(chunk);
    for (;;) {
      if (length === undefined) {
        const head = held.take(5);
        if (head === undefined) break;
        length = lengthOf(Buffer.from(head));
      }
      const message = held.take(length);
      if (message === undefined) break;
      length = undefined;
      yield message;
    }
  }
  if (length !== undefined || held.bytes > 0) throw new GrpcError(14, "the answer is cut off");
}

function lengthOf(head: Buffer): number {
  const length = head.readUInt32BE(1);
  if (head[0] !== 0) throw new GrpcError(13, "a message is compressed, which was not asked for");
  if (length > messageLimit) throw new GrpcError(8, `a message has ${length} bytes`);
  return length;
}

/** Bytes that wait for the rest of their message; bounded by the largest message. */
class Held {
  #parts: Uint8Array[] = [];
  bytes = 0;

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.bytes += part.length;
  }

  /** The first bytes, when there are that many. */
  take(length: number): Uint8Array | undefined {
    if (this.bytes < length) return undefined;
    const all = this.#parts.length === 1 && this.#parts[0] ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = all.length > length ? [all.subarray(length)] : [];
    this.bytes -= length;
    return all.subarray(0, length);
  }
}

/** Percent-encoded UTF-8, as the status message is sent. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded after all
  }
}
