import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { filesIn, packageFolder } from "../package.ts";

/** One file of the page, as it is sent. */
interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed on first use. */
  zipped: Promise<Buffer> | undefined;
}

/** The built page by path; bounded by what the build wrote. */
export type Page = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** What the page may do: talk to where it came from, and nothing else; no text becomes script. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Where the build puts the page, in a clone as in the published package. */
export const pageFolder = join(packageFolder, "dist/ui");

/** Reads the built page into memory; undefined when it was never built. */
export function loadPage(folder: string): Page | undefined {
  const files = filesIn(folder);
  if (!files.has("index.html")) return undefined;
  const page = new Map<string, PageFile>();
  for (const [name, bytes] of files) {
    const type = types[extname(name)];
    if (type !== undefined) page.set(`/${name}`, { type, bytes, zipped: undefined });
  }
  return page;
}

/** Whether a path belongs to the page: it holds no data, so it is given to anybody who may reach the server. */
export function isPagePath(path: string): boolean {
  return !path.startsWith("/api/") && path !== "/metrics" && path !== "/healthz" && path !== "/readyz";
}

const compress = promisify(gzip);

/** The answer to a request of the page: a file, or the page itself for every address that it draws. */
export async function servePage(page: Page, request: Request): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const isFile = pathname.startsWith("/assets/") || pathname === "/favicon.svg";
  const file = page.get(isFile ? pathname : "/index.html");
  if (!file) return undefined;
  const isText = /^(text|image\/svg)/.test(file.type);
  const zip = isText && /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (zip) file.zipped ??= compress(file.bytes);
  const body = zip ? ((await file.zipped) ?? file.bytes) : file.bytes;
  const headers = {
    "content-type": file.type,
    "content-security-policy": pagePolicy,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    vary: "accept-encoding",
    // The names of built files hold a hash of what is in them.
    "cache-control":
      isFile && pathname !== "/favicon.svg" ? "public, max-age=31536000, immutable" : "no-cache",
    ...(zip && { "content-encoding": "gzip" }),
  };
  return new Response(new Uint8Array(body), { headers });
}
