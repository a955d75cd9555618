import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { connect as connectSocket } from "node:net";

/** What a message may have: lists of the keys of big buckets are the largest. */
const messageLimit = 256 << 20;

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
    });
    this.#session.on("error", () => undefined); // each call hears of it by itself
  }

  /** One message there, one back. */
  async unary(path: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    return this.collect(path, [request], signal);
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
    const stream = this.#session.request(
      {
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        "user-agent": "headway",
      },
      { signal },
    );
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
      throw refusal ?? (error instanceof GrpcError ? error : new GrpcError(14, words(error)));
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
    if (this.refusal) throw this.refusal;
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

async function send(
  stream: ClientHttp2Stream,
  requests: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const message of requests) {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      if (stream.closed || stream.destroyed) return;
      if (!stream.write(Buffer.concat([head, message]))) await drained(stream);
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

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
