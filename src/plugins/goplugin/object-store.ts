import { AppError, messageOf } from "../../errors.ts";
import type { Body, Entry, ListOptions, ObjectInfo, Store } from "../../store/index.ts";
import type { GrpcConnection } from "./grpc.ts";
import { bytesOf, intOf, type Message, MessageWriter, readMessage, textOf, textsOf } from "./protobuf.ts";

/** The size in which upstream sends an object. */
const chunkBytes = 16_384;

/** What a store of a plugin program needs. */
export interface ProgramStoreOptions {
  readonly plugin: string;
  readonly bucket: string;
  /** A connection to a program that knows its settings; a new one when the former has died. */
  readonly connection: (signal: AbortSignal) => Promise<GrpcConnection>;
}

/**
 * A bucket behind an object store plugin.
 *
 * The protocol tells less than our own stores do: no sizes and no times, and a listing of one level has its folders only.
 */
export class ProgramStore implements Store {
  readonly place: string;
  readonly #options: ProgramStoreOptions;

  constructor(options: ProgramStoreOptions) {
    this.#options = options;
    this.place = `bucket "${options.bucket}" of plugin "${options.plugin}"`;
  }

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    const stop = own(signal);
    const connection = await this.#options.connection(stop);
    const messages = this.#chunks(key, body);
    await this.#told(`write "${key}"`, stop, () =>
      connection.collect("/generated.ObjectStore/PutObject", messages, stop),
    );
  }

  async get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const stop = own(signal);
    if (!(await this.#exists(key, stop))) {
      throw new AppError("STORE_MISSING", `${this.place} has no object "${key}"`, { retry: false });
    }
    return this.#content(key, stop);
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> {
    const stop = own(signal);
    return (await this.#exists(key, stop)) ? { key } : undefined;
  }

  async *list(prefix: string, options: ListOptions = {}, signal?: AbortSignal): AsyncGenerator<Entry> {
    const stop = own(signal);
    if (options.delimiter !== undefined) {
      const request = this.#request().text(3, options.delimiter).text(4, prefix);
      const answer = await this.#call("ListCommonPrefixes", request, `list "${prefix}"`, stop);
      for (const folder of textsOf(answer, 1).toSorted(byBytes)) yield { prefix: folder };
      return;
    }
    for (const key of await this.#keys(prefix, stop)) {
      yield { object: { key } };
    }
  }

  async delete(key: string, signal?: AbortSignal): Promise<void> {
    await this.#call("DeleteObject", this.#request(key), `delete "${key}"`, own(signal));
  }

  async deletePrefix(prefix: string, signal?: AbortSignal): Promise<number> {
    const keys = await this.#keys(prefix, own(signal));
    for (const key of keys) await this.delete(key, signal);
    return keys.length;
  }

  async signedUrl(key: string, ttlSeconds: number): Promise<string | undefined> {
    const request = this.#request(key).int(4, BigInt(ttlSeconds) * 1_000_000_000n);
    const answer = await this.#call("CreateSignedURL", request, `sign "${key}"`, own(undefined));
    return textOf(answer, 1) || undefined;
  }

  async #exists(key: string, signal: AbortSignal): Promise<boolean> {
    return intOf(await this.#call("ObjectExists", this.#request(key), `look for "${key}"`, signal), 1) === 1n;
  }

  async #keys(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
    const request = this.#request().text(3, prefix);
    return textsOf(await this.#call("ListObjects", request, `list "${prefix}"`, signal), 1).toSorted(byBytes);
  }

  async *#content(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const connection = await this.#options.connection(signal);
    const stream = connection.call("/generated.ObjectStore/GetObject", [this.#request(key).done()], signal);
    try {
      for await (const message of stream) yield bytesOf(readMessage(message), 1);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failure(`read "${key}"`, error);
    }
  }

  /** Every message repeats where it goes; an empty object is one message without content. */
  async *#chunks(key: string, body: Body): AsyncGenerator<Uint8Array> {
    let sent = false;
    for await (const piece of body instanceof Uint8Array ? [body] : body) {
      for (let at = 0; at < piece.length; at += chunkBytes) {
        sent = true;
        yield this.#request(key)
          .bytes(4, piece.subarray(at, at + chunkBytes))
          .done();
      }
    }
    if (!sent) yield this.#request(key).done();
  }

  async #call(rpc: string, request: MessageWriter, what: string, signal: AbortSignal): Promise<Message> {
    const connection = await this.#options.connection(signal);
    const path = `/generated.ObjectStore/${rpc}`;
    return this.#told(what, signal, async () =>
      readMessage(await connection.unary(path, request.done(), signal)),
    );
  }

  async #told<T>(what: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failure(what, error);
    }
  }

  #failure(what: string, error: unknown): AppError {
    const why = messageOf(error);
    return new AppError("STORE_FAILED", `${what} in ${this.place}: ${why}`, { cause: error });
  }

  #request(key = ""): MessageWriter {
    return new MessageWriter().text(1, this.#options.plugin).text(2, this.#options.bucket).text(3, key);
  }
}

/** A signal for the other side, which always wants one. */
function own(signal: AbortSignal | undefined): AbortSignal {
  return signal ?? new AbortController().signal;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
