import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { listenOn, openHttp } from "../../packages/wire/index.ts";
import { AppError } from "../errors.ts";
import type { Store } from "../store/index.ts";

/** How links to files of a location without links of its own are served. */
export interface DownloadOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly listen: string;
  /** How the outside reaches it; the address it listens on when absent. */
  readonly publicUrl?: string | undefined;
  readonly openStore: (location: string, signal: AbortSignal) => Promise<Store>;
  readonly now: () => number;
  /** Told of failures that are not the caller's. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Signs links to stored files, and serves them until the signal fires. Links of an earlier process are void. */
export class Downloads {
  readonly #options: DownloadOptions;
  readonly #secret = randomBytes(32);
  #base: string | undefined;

  constructor(options: DownloadOptions) {
    this.#options = options;
  }

  /** Where links lead; undefined until the server listens. */
  get base(): string | undefined {
    return this.#base;
  }

  /** A link that holds for a while; undefined until the server listens. */
  url(location: string, key: string, ttlSeconds: number): string | undefined {
    if (this.#base === undefined) return undefined;
    const query = new URLSearchParams({
      location,
      key,
      expires: String(Math.floor(this.#options.now() / 1000) + ttlSeconds),
    });
    query.set("signature", this.#sign(query));
    return `${this.#base}/download?${query.toString()}`;
  }

  async listen(signal: AbortSignal): Promise<void> {
    const server = openHttp(
      (request, response, url) => this.#serve(request, response, url, signal),
      this.#options.onError,
    );
    const at = this.#options.listen.lastIndexOf(":");
    const [host, port] = [this.#options.listen.slice(0, at), Number(this.#options.listen.slice(at + 1))];
    const bound = await listenOn(server, { hostname: host, port }).catch((cause: unknown) => {
      throw new AppError("OPERATOR_FAILED", `cannot listen on "${this.#options.listen}"`, { cause });
    });
    this.#base = this.#options.publicUrl ?? `http://${host}:${bound}`;
    signal.addEventListener("abort", () => {
      server.close();
      server.closeAllConnections();
    });
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    signal: AbortSignal,
  ): Promise<void> {
    const { searchParams: query } = url;
    try {
      if (url.pathname !== "/download" || request.method !== "GET") return answer(response, 404);
      if (!this.#holds(query)) return answer(response, 403);
      const store = await this.#options.openStore(query.get("location") ?? "", signal);
      const bytes = await store.get(query.get("key") ?? "", signal);
      response.writeHead(200, { "content-type": "application/octet-stream" });
      await pipeline(bytes, response);
    } catch (error) {
      if (response.headersSent || !(error instanceof AppError)) throw error;
      answer(response, error.code === "STORE_MISSING" ? 404 : 500);
    }
  }

  #holds(query: URLSearchParams): boolean {
    const given = Buffer.from(query.get("signature") ?? "", "base64url");
    const unsigned = new URLSearchParams(query);
    unsigned.delete("signature");
    const want = Buffer.from(this.#sign(unsigned), "base64url");
    if (given.length !== want.length || !timingSafeEqual(given, want)) return false;
    return Number(query.get("expires")) * 1000 >= this.#options.now();
  }

  #sign(query: URLSearchParams): string {
    const parts = ["location", "key", "expires"].map((name) => query.get(name) ?? "");
    return createHmac("sha256", this.#secret).update(JSON.stringify(parts)).digest("base64url");
  }
}

function answer(response: ServerResponse, code: number): void {
  response.writeHead(code).end();
}
