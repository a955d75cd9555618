import { AppError } from "../../errors.ts";
import { SourceFault } from "../chunks.ts";
import type { CloudSpec } from "../cloud-config.ts";
import { Http, type HttpAnswer, type HttpRequest, readText } from "../http.ts";
import { checkFolder, checkKey, checkPrefix } from "../key.ts";
import { deleteAll, inOrder } from "../pages.ts";
import { strictly } from "../percent.ts";
import { bodyOf } from "../read-body.ts";
import { type Attempt, explainRefusal, networkRefusal, type Refusal } from "../refusal.ts";
import type { Body, Entry, ListOptions, ObjectInfo, Store } from "../store.ts";
import type { Tokens } from "../token.ts";
import { type GcsSettings, gcsSettings } from "./config.ts";
import { signedLink } from "./links.ts";
import { gcsSigner, gcsTokens, type Signer } from "./tokens.ts";
import { uploadGcs } from "./upload.ts";

/** A bucket of Google Cloud Storage, over its JSON interface. */
export class GcsStore implements Store {
  readonly place: string;
  readonly #settings: GcsSettings;
  readonly #http: Http;
  readonly #tokens: Tokens | undefined;
  readonly #signer: Signer | undefined;

  constructor(spec: CloudSpec, http?: Http) {
    this.#settings = gcsSettings(spec);
    const { bucket, api, caCert, isEmulator } = this.#settings;
    this.place = `bucket "${bucket}" at ${api.origin}`;
    this.#http = http ?? new Http({ caCert });
    const attempt = this.#attempt("get a token for", "");
    const tokens = gcsTokens(this.#http, this.#settings, attempt);
    this.#tokens = isEmulator ? undefined : tokens;
    this.#signer = gcsSigner(this.#http, this.#settings, tokens, { ...attempt, verb: "sign an address for" });
  }

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    checkKey(key);
    const { bucket, upload, kmsKeyName } = this.#settings;
    const target = {
      url: (uploadType: "media" | "resumable") =>
        below(upload, bucket, undefined, {
          uploadType,
          name: key,
          fields: "name",
          ...(kmsKeyName !== undefined && { kmsKeyName }),
        }),
      send: (request: HttpRequest, allowed: readonly number[], inner?: AbortSignal) =>
        this.#send("write", key, request, allowed, inner),
    };
    try {
      signal?.throwIfAborted();
      await uploadGcs(target, body, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof SourceFault) throw error.cause;
      if (error instanceof AppError) throw error;
      throw explainRefusal(networkRefusal(error), this.#attempt("write", key));
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const url = this.#object(key, { alt: "media" });
    // Without this Google unpacks what was stored as gzip, and the length is no longer true.
    const headers = { "accept-encoding": "gzip" };
    const answer = await this.#send("read", key, { method: "GET", url, headers }, [200], signal);
    return bodyOf(answer, this.#attempt("read", key), signal);
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> {
    const url = this.#object(key, { fields: "name,size,updated" });
    const answer = await this.#send("look at", key, { method: "GET", url }, [200, 404], signal);
    const said = await this.#json(answer, "look at", key, signal);
    if (answer.status === 200) return infoOf(said as Item);
    const refusal = refusalOf(answer.status, said);
    if (refusal.name === "NoSuchBucket") throw explainRefusal(refusal, this.#attempt("look at", key));
    return undefined;
  }

  async *list(prefix: string, options: ListOptions = {}, signal?: AbortSignal): AsyncGenerator<Entry> {
    checkPrefix(prefix);
    const { api, bucket } = this.#settings;
    let pageToken: string | undefined;
    do {
      const url = below(api, bucket, undefined, {
        prefix,
        maxResults: "1000",
        fields: "items(name,size,updated),prefixes,nextPageToken",
        ...(options.delimiter && { delimiter: options.delimiter }),
        ...(pageToken !== undefined && { pageToken }),
      });
      const answer = await this.#send("list", prefix, { method: "GET", url }, [200], signal);
      const page = (await this.#json(answer, "list", prefix, signal)) as Page;
      yield* inOrder((page.items ?? []).map(infoOf), page.prefixes ?? []);
      pageToken = page.nextPageToken || undefined;
    } while (pageToken !== undefined);
  }

  async delete(key: string, signal?: AbortSignal): Promise<void> {
    checkKey(key);
    await this.#deleteRaw(key, signal);
  }

  async deletePrefix(prefix: string, signal?: AbortSignal): Promise<number> {
    checkFolder(prefix);
    return await deleteAll(this.list(prefix, {}, signal), (key) => this.#deleteRaw(key, signal));
  }

  async signedUrl(key: string, ttlSeconds: number): Promise<string | undefined> {
    checkKey(key);
    if (this.#signer === undefined) return undefined;
    return await signedLink(this.#settings, key, ttlSeconds, this.#signer);
  }

  /** Foreign tools may have written keys that we would not; what lies under a prefix is deleted all the same. */
  async #deleteRaw(key: string, signal?: AbortSignal): Promise<void> {
    const { api, bucket } = this.#settings;
    const url = below(api, bucket, key, {});
    const answer = await this.#send("delete", key, { method: "DELETE", url }, [200, 204, 404], signal);
    answer.body.resume();
  }

  #object(key: string, query: Readonly<Record<string, string>>): URL {
    const { api, bucket } = this.#settings;
    return below(api, bucket, checkKey(key), query);
  }

  async #json(answer: HttpAnswer, verb: string, key: string, signal?: AbortSignal): Promise<unknown> {
    try {
      return JSON.parse(await readText(answer));
    } catch (error) {
      signal?.throwIfAborted();
      throw explainRefusal(networkRefusal(error), this.#attempt(verb, key));
    }
  }

  /** The answer, when its status is allowed. A token that the store no longer takes is replaced once. */
  async #send(
    verb: string,
    key: string,
    request: HttpRequest,
    allowed: readonly number[],
    signal?: AbortSignal,
  ): Promise<HttpAnswer> {
    for (let isFirst = true; ; isFirst = false) {
      signal?.throwIfAborted();
      const token = await this.#tokens?.get(signal);
      const headers = {
        ...request.headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const answer = await this.#http.send({ ...request, headers }, signal).catch((error: unknown) => {
        if (signal?.aborted) throw signal.reason;
        throw explainRefusal(networkRefusal(error), this.#attempt(verb, key));
      });
      if (allowed.includes(answer.status)) return answer;
      const text = await readText(answer, 1 << 20).catch(() => ""); // the status tells enough
      if (answer.status === 401 && isFirst && this.#tokens !== undefined) this.#tokens.forget();
      else throw explainRefusal(refusalOf(answer.status, parsed(text)), this.#attempt(verb, key));
    }
  }

  #attempt(verb: string, key: string): Attempt {
    return { verb, key, place: this.place, addressKey: "storeEndpoint" };
  }
}

interface Item {
  readonly name: string;
  readonly size?: string;
  readonly updated?: string;
}

interface Page {
  readonly items?: readonly Item[];
  readonly prefixes?: readonly string[];
  readonly nextPageToken?: string;
}

function infoOf({ name, size, updated }: Item): ObjectInfo {
  return { key: name, bytes: Number(size ?? 0), modifiedAt: new Date(updated ?? 0) };
}

function below(
  base: URL,
  bucket: string,
  key: string | undefined,
  query: Readonly<Record<string, string>>,
): URL {
  const object = key === undefined ? "" : `/${strictly(key)}`;
  const url = new URL(`b/${bucket}/o${object}`, base);
  url.search = Object.entries(query)
    .map(([name, value]) => `${name}=${strictly(value)}`)
    .join("&");
  return url;
}

/** `{error: {code, message, errors: [{reason}]}}`; both a missing bucket and a missing object are "notFound". */
function refusalOf(status: number, said: unknown): Refusal {
  const { error } = (said ?? {}) as { error?: { message?: string; errors?: readonly { reason?: string }[] } };
  const message = typeof error?.message === "string" ? error.message : "";
  const reason = error?.errors?.[0]?.reason ?? "";
  const isBucket = status === 404 && /bucket/i.test(message) && !/object/i.test(message);
  return { status, name: isBucket ? "NoSuchBucket" : reason, message };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: text.slice(0, 200) } }; // uploads are refused in plain text
  }
}
