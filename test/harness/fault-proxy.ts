import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Access } from "../../src/kube/index.ts";

/** What goes wrong with one request. */
export type Fault =
  | { readonly kind: "delay"; readonly ms: number }
  /** The connection is cut before anything is forwarded. */
  | { readonly kind: "reset" }
  /** The request is forwarded and done; its answer is not. */
  | { readonly kind: "lost-answer" }
  /** The answer is cut after so many bytes, with a reset or as if it had ended well. */
  | { readonly kind: "cut"; readonly afterBytes: number; readonly how: "reset" | "end" }
  /** The answer begins, then nothing more comes, and the connection stays open. */
  | { readonly kind: "silence" }
  | {
      readonly kind: "status";
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfter?: number;
    };

/** A request as the proxy saw it. */
export interface Seen {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly watch: boolean;
  /** Whom the client acts as. */
  readonly as?: string;
}

/** Stands between a client and an API server, and does to requests what a test asks for. */
export class FaultProxy {
  /** Decides the fault of each request; undefined lets it through, a promise holds it back. */
  fault: (request: Seen, index: number) => Fault | undefined | Promise<Fault | undefined> = () => undefined;
  readonly seen: Seen[] = [];
  readonly #watches = new Set<Seen>();
  readonly #access: Access;
  readonly #server: http.Server;
  readonly #stop = new AbortController();
  #agent: http.Agent | undefined;

  private constructor(access: Access) {
    this.#access = access;
    this.#server = http.createServer((request, response) => void this.#handle(request, response));
  }

  static async open(access: Access): Promise<FaultProxy> {
    const proxy = new FaultProxy(access);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Most requests that were seen within any second. */
  get busiestSecond(): number {
    let most = 0;
    let from = 0;
    for (const [to, request] of this.seen.entries()) {
      while ((this.seen[from]?.at ?? 0) <= request.at - 1_000) from += 1;
      most = Math.max(most, to - from + 1);
    }
    return most;
  }

  /** Paths and selectors of the watches that are open now. */
  openWatches(): readonly string[] {
    return [...this.#watches].map(
      ({ path, query }) => `${path} ${query.get("labelSelector") ?? ""} ${query.get("fieldSelector") ?? ""}`,
    );
  }

  /** Cuts every open connection, watches included. */
  cutAll(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#agent?.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://proxy");
    const { pathname: path, searchParams: query } = url;
    const watch = query.get("watch") === "true";
    const as = request.headers["impersonate-user"];
    const seen = {
      at: performance.now(),
      method: request.method ?? "",
      path,
      query,
      watch,
      ...(typeof as === "string" && { as }),
    };
    const decided = this.fault(seen, this.seen.push(seen) - 1);
    if (watch) {
      this.#watches.add(seen);
      response.on("close", () => this.#watches.delete(seen));
    }
    const fault = decided instanceof Promise ? await decided : decided;
    response.on("error", () => undefined); // the client cut first
    if (response.destroyed) return; // gone while it was held back: it must not be done now
    if (fault?.kind === "reset") return void request.socket.destroy();
    if (fault?.kind === "status") return refuse(response, fault);
    if (fault?.kind === "delay") {
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
    }
    await this.#forward(request, response, fault);
  }

  async #forward(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const { server, credentials, insecure, ca } = this.#access;
    const { cert, key, token } = await credentials.get();
    this.#agent ??= server.startsWith("http:")
      ? new http.Agent({ keepAlive: true })
      : new https.Agent({ keepAlive: true, rejectUnauthorized: !insecure, ca, cert, key });
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const options: https.RequestOptions = {
      method: request.method,
      agent: this.#agent,
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      signal: this.#stop.signal,
    };
    const url = `${server}${request.url}`;
    const upstream = url.startsWith("http:") ? http.request(url, options) : https.request(url, options);
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    upstream.on("response", (answer) => relay(answer, response, fault));
    request.pipe(upstream);
  }
}

function relay(answer: http.IncomingMessage, response: http.ServerResponse, fault: Fault | undefined): void {
  answer.on("error", () => response.destroy());
  if (fault?.kind === "lost-answer") {
    answer.resume().on("end", () => response.destroy());
    return;
  }
  const { connection: _connection, "content-length": length, ...headers } = answer.headers;
  const whole = fault?.kind !== "cut" && fault?.kind !== "silence" && length !== undefined;
  response.writeHead(answer.statusCode ?? 502, { ...headers, ...(whole && { "content-length": length }) });
  response.flushHeaders();
  if (fault?.kind === "silence") return void answer.resume();
  if (fault?.kind !== "cut") return void answer.pipe(response);
  let left = fault.afterBytes;
  answer.on("data", (chunk: Buffer) => {
    if (left <= 0) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    response.write(part, () => {
      if (left > 0) return;
      if (fault.how === "reset") response.destroy();
      else response.end();
    });
  });
  answer.on("end", () => response.end());
}

function refuse(response: http.ServerResponse, fault: Fault & { kind: "status" }): void {
  const { code, reason = "", message = "by the fault proxy", retryAfter } = fault;
  response.writeHead(code, {
    "content-type": "application/json",
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  });
  response.end(JSON.stringify({ kind: "Status", status: "Failure", code, reason, message }));
}
