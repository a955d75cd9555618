import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
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
}

/** Signs links to stored files, and serves them until the signal fires. Links of an earlier process are void. */
export class Downloads {
  readonly #options: DownloadOptions;
  readonly #secret = randomBytes(32);
  #base: string | undefined;

  constructor(options: DownloadOptions) {
    this.#options = options;
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
    const server = createServer((request, response) => {
      void this.#serve(request, response, signal);
    });
    const at = this.#options.listen.lastIndexOf(":");
    const [host, port] = [this.#options.listen.slice(0, at), Number(this.#options.listen.slice(at + 1))];
    await new Promise<void>((resolve, reject) => {
      server.once("error", (cause) => {
        reject(new AppError("OPERATOR_FAILED", `cannot listen on "${this.#options.listen}"`, { cause }));
      });
      server.listen(port, host, resolve);
    });
    const address = server.address() as AddressInfo; // a listening TCP server has one
    this.#base = this.#options.publicUrl ?? `http://${host}:${address.port}`;
    signal.addEventListener("abort", () => {
      server.close();
      server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    const { searchParams: query } = url;
    try {
      if (url.pathname !== "/download" || request.method !== "GET") return answer(response, 404);
      if (!this.#holds(query)) return answer(response, 403);
      const store = await this.#options.openStore(query.get("location") ?? "", signal);
      const bytes = await store.get(query.get("key") ?? "", signal);
      response.writeHead(200, { "content-type": "application/octet-stream" });
      await pipeline(bytes, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else answer(response, error instanceof AppError && error.code === "STORE_MISSING" ? 404 : 500);
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
