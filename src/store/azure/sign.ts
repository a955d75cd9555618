import { createHmac } from "node:crypto";
import type { HttpRequest } from "../http.ts";

/** The version of Azure's interface, and of its signatures. */
export const apiVersion = "2021-12-02";

/** The header that proves the knowledge of an account's key. */
export function sharedKey(account: string, key: string, request: HttpRequest): string {
  const { method, url, headers = {}, body } = request;
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const of = (name: string) => lower.get(name) ?? "";
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const own = [...lower]
    .filter(([name]) => name.startsWith("x-ms-"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = [
    method,
    of("content-encoding"),
    of("content-language"),
    length === 0 ? "" : String(length),
    of("content-md5"),
    of("content-type"),
    "", // the date is in x-ms-date
    of("if-modified-since"),
    of("if-match"),
    of("if-none-match"),
    of("if-unmodified-since"),
    of("range"),
    ...own.map(([name, value]) => `${name}:${value.trim()}`),
    `/${account}${url.pathname}`,
    ...[...url.searchParams]
      .map(([name, value]) => `${name.toLowerCase()}:${value}`)
      .toSorted((a, b) => (a < b ? -1 : 1)),
  ].join("\n");
  return `SharedKey ${account}:${hmac(key, text)}`;
}

/** A key for addresses that Azure gives to whoever has a token. */
export interface DelegationKey {
  readonly oid: string;
  readonly tid: string;
  readonly start: string;
  readonly expiry: string;
  readonly service: string;
  readonly version: string;
  readonly value: string;
}

/** What is to be read, until when. */
export interface SasRequest {
  readonly account: string;
  readonly container: string;
  readonly blob: string;
  readonly start: string;
  readonly expiry: string;
  /** `https`, but for emulators without it. */
  readonly protocol: string;
}

/** The query that lets anyone read one blob for a while. */
export function blobSas(request: SasRequest, by: { readonly key: string } | DelegationKey): string {
  const { account, container, blob, start, expiry, protocol } = request;
  const resource = `/blob/${account}/${container}/${blob}`;
  const none = (count: number) => Array.from({ length: count }, () => "");
  const delegated = "value" in by ? by : undefined;
  // Between the resource and the addresses: an identifier, or the delegation key and three ids that nobody uses.
  const middle =
    delegated === undefined
      ? none(1)
      : [
          delegated.oid,
          delegated.tid,
          delegated.start,
          delegated.expiry,
          delegated.service,
          delegated.version,
          ...none(3),
        ];
  const text = ["r", start, expiry, resource, ...middle, "", protocol, apiVersion, "b", ...none(7)].join(
    "\n",
  );
  const query = new URLSearchParams({
    sv: apiVersion,
    st: start,
    se: expiry,
    sr: "b",
    sp: "r",
    spr: protocol,
    ...(delegated && {
      skoid: delegated.oid,
      sktid: delegated.tid,
      skt: delegated.start,
      ske: delegated.expiry,
      sks: delegated.service,
      skv: delegated.version,
    }),
    sig: hmac("value" in by ? by.value : by.key, text),
  });
  return query.toString();
}

function hmac(key: string, text: string): string {
  return createHmac("sha256", Buffer.from(key, "base64")).update(text, "utf8").digest("base64");
}
