import type { AppError } from "../../errors.ts";
import { SourceFault } from "../chunks.ts";
import type { CloudSpec } from "../cloud-config.ts";
import { Http, type HttpAnswer, type HttpRequest, readText } from "../http.ts";
import { checkFolder, checkKey, checkPrefix } from "../key.ts";
import { deleteAll, inOrder } from "../pages.ts";
import { strictly } from "../percent.ts";
import { bodyOf } from "../read-body.ts";
import { type Attempt, explainRefusal, networkRefusal } from "../refusal.ts";
import type { Body, Entry, ListOptions, ObjectInfo, Store } from "../store.ts";
import type { Tokens } from "../token.ts";
import { type AzureSettings, azureSettings } from "./config.ts";
import { azureTokens } from "./identity.ts";
import { listedKey } from "./keys.ts";
import { apiVersion, blobSas, type DelegationKey, sharedKey } from "./sign.ts";
import { uploadAzure } from "./upload.ts";
import { elements, nameOf, textOf } from "./xml.ts";

const minuteMs = 60_000;

/** A container of Azure's blob storage. */
export class AzureStore implements Store {
  readonly place: string;
  readonly #settings: AzureSettings;
  readonly #http: Http;
  readonly #tokens: Tokens | undefined;
  #key: Promise<string> | undefined;

  constructor(spec: CloudSpec, http?: Http) {
    this.#settings = azureSettings(spec);
    const { container, endpoint, access, login, caCert } = this.#settings;
    this.place = `container "${container}" at ${endpoint}`;
    this.#http = http ?? new Http({ caCert });
    const attempt = this.#attempt("get a token for", "");
    if (access.by === "key") this.#key = Promise.resolve(access.key);
    if (access.by === "token") {
      const audience = "https://storage.azure.com";
      this.#tokens = azureTokens(this.#http, access.identity, { login, audience, attempt });
    }
  }

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    checkKey(key);
    const target = {
      url: (query: Readonly<Record<string, string>>) => this.#url(key, query),
      send: async (request: HttpRequest, inner?: AbortSignal) => {
        (await this.#send("write", key, request, [201], inner)).body.resume();
      },
    };
    try {
      signal?.throwIfAborted();
      await uploadAzure(target, body, this.#settings.blockBytes, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof SourceFault) throw error.cause;
      throw error;
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const url = this.#url(checkKey(key));
    const answer = await this.#send("read", key, { method: "GET", url }, [200], signal);
    return bodyOf(answer, this.#attempt("read", key), signal);
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> {
    const url = this.#url(checkKey(key));
    const answer = await this.#send("look at", key, { method: "HEAD", url }, [200, 404], signal);
    answer.body.resume();
    const { "content-length": length, "last-modified": changed, "x-ms-error-code": fault } = answer.headers;
    if (answer.status === 200) return infoOf(key, length, changed);
    if (fault === "ContainerNotFound") {
      throw explainRefusal({ status: 404, name: fault, message: "" }, this.#attempt("look at", key));
    }
    return undefined;
  }

  async *list(prefix: string, options: ListOptions = {}, signal?: AbortSignal): AsyncGenerator<Entry> {
    checkPrefix(prefix);
    let marker: string | undefined;
    do {
      const url = this.#url(undefined, {
        restype: "container",
        comp: "list",
        prefix,
        maxresults: "1000",
        ...(options.delimiter && { delimiter: options.delimiter }),
        ...(marker !== undefined && { marker }),
      });
      const answer = await this.#send("list", prefix, { method: "GET", url }, [200], signal);
      const xml = await this.#text(answer, "list", prefix, signal);
      yield* entriesOf(xml);
      marker = textOf(xml, "NextMarker") || undefined;
    } while (marker !== undefined);
  }

  async delete(key: string, signal?: AbortSignal): Promise<void> {
    checkKey(key);
    await this.#deleteRaw(key, signal);
  }

  async deletePrefix(prefix: string, signal?: AbortSignal): Promise<number> {
    checkFolder(prefix);
    return await deleteAll(this.list(prefix, {}, signal), (key) => this.#deleteRaw(key, signal));
  }

  async signedUrl(key: string, ttlSeconds: number): Promise<string> {
    const url = this.#url(checkKey(key));
    const { account, container, endpoint } = this.#settings;
    const nowMs = Date.now();
    const expiry = timeOf(nowMs + ttlSeconds * 1000);
    const protocol = endpoint.startsWith("https:") ? "https" : "https,http";
    // The clocks of who reads and who signs may differ.
    const request = { account, container, blob: key, start: timeOf(nowMs - 10 * minuteMs), expiry, protocol };
    const by =
      this.#tokens === undefined ? { key: await this.#accountKey() } : await this.#delegation(request);
    return `${url.href}?${blobSas(request, by)}`;
  }

  async #delegation({ start, expiry }: { start: string; expiry: string }): Promise<DelegationKey> {
    const url = new URL(`${this.#settings.endpoint}/?restype=service&comp=userdelegationkey`);
    const body = `<KeyInfo><Start>${start}</Start><Expiry>${expiry}</Expiry></KeyInfo>`;
    const answer = await this.#send("sign an address for", "", { method: "POST", url, body }, [200]);
    const xml = await this.#text(answer, "sign an address for", "");
    const of = (name: string) => textOf(xml, name) ?? "";
    return {
      oid: of("SignedOid"),
      tid: of("SignedTid"),
      start: of("SignedStart"),
      expiry: of("SignedExpiry"),
      service: of("SignedService"),
      version: of("SignedVersion"),
      value: of("Value"),
    };
  }

  /** Foreign tools may have written keys that we would not; what lies under a prefix is deleted all the same. */
  async #deleteRaw(key: string, signal?: AbortSignal): Promise<void> {
    // A blob with snapshots of its own is deleted only together with them.
    const headers = { "x-ms-delete-snapshots": "include" };
    const request = { method: "DELETE", url: this.#url(key), headers } as const;
    (await this.#send("delete", key, request, [202, 404], signal)).body.resume();
  }

  #url(key: string | undefined, query: Readonly<Record<string, string>> = {}): URL {
    const { endpoint, container } = this.#settings;
    const blob = key === undefined ? "" : `/${key.split("/").map(strictly).join("/")}`;
    const url = new URL(`${endpoint}/${container}${blob}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  async #text(answer: HttpAnswer, verb: string, key: string, signal?: AbortSignal): Promise<string> {
    return await readText(answer).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      throw explainRefusal(networkRefusal(error), this.#attempt(verb, key));
    });
  }

  /** The answer, when its status is allowed. A token or a listed key that the store no longer takes is replaced once. */
  async #send(
    verb: string,
    key: string,
    request: HttpRequest,
    allowed: readonly number[],
    signal?: AbortSignal,
  ): Promise<HttpAnswer> {
    for (let isFirst = true; ; isFirst = false) {
      signal?.throwIfAborted();
      const signed = await this.#signed(request, signal);
      const answer = await this.#http.send(signed, signal).catch((error: unknown) => {
        if (signal?.aborted) throw signal.reason;
        throw explainRefusal(networkRefusal(error), this.#attempt(verb, key));
      });
      if (allowed.includes(answer.status)) return answer;
      const refused = await this.#refused(answer, verb, key);
      if (!isFirst || refused.code !== "STORE_DENIED" || !this.#forget()) throw refused;
    }
  }

  async #refused(answer: HttpAnswer, verb: string, key: string): Promise<AppError> {
    const xml = await readText(answer, 1 << 20).catch(() => ""); // the status and the header tell enough
    const code = answer.headers["x-ms-error-code"];
    const name = (typeof code === "string" ? code : undefined) ?? textOf(xml, "Code") ?? "";
    const refusal = { status: answer.status, name, message: textOf(xml, "Message") ?? "" };
    return explainRefusal(refusal, this.#attempt(verb, key));
  }

  /** Whether there may be something newer than what the store refused. */
  #forget(): boolean {
    if (this.#settings.access.by === "key") return false;
    this.#tokens?.forget();
    this.#key = undefined;
    return true;
  }

  async #signed(request: HttpRequest, signal?: AbortSignal): Promise<HttpRequest> {
    const date = new Date().toUTCString();
    const headers = { ...request.headers, "x-ms-version": apiVersion, "x-ms-date": date };
    const authorization =
      this.#tokens === undefined
        ? sharedKey(this.#settings.account, await this.#accountKey(signal), { ...request, headers })
        : `Bearer ${await this.#tokens.get(signal)}`;
    return { ...request, headers: { ...headers, authorization } };
  }

  #accountKey(signal?: AbortSignal): Promise<string> {
    const { access } = this.#settings;
    if (access.by !== "listed-key") return this.#key ?? Promise.reject(new Error("tokens have no key"));
    const attempt = this.#attempt("look up the account's key for", "");
    const asked = (this.#key ??= listedKey(this.#http, this.#settings, access, attempt, signal));
    asked.catch(() => (this.#key = undefined)); // asked anew the next time
    return asked;
  }

  #attempt(verb: string, key: string): Attempt {
    const addressKey = this.#settings.isOwnEndpoint ? "storageAccountURI" : "storageAccount";
    return { verb, key, place: this.place, holder: "container", addressKey };
  }
}

function entriesOf(xml: string): Entry[] {
  const objects = elements(xml, "Blob")
    // Accounts with a hierarchical namespace list their folders, too.
    .filter((blob) => textOf(blob, "ResourceType") !== "directory")
    .map((blob) => infoOf(nameOf(blob), textOf(blob, "Content-Length"), textOf(blob, "Last-Modified")));
  return inOrder(objects, elements(xml, "BlobPrefix").map(nameOf));
}

function infoOf(key: string, length: string | undefined, changed: string | undefined): ObjectInfo {
  return { key, bytes: Number(length ?? 0), modifiedAt: new Date(changed ?? 0) };
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
