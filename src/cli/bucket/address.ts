import { basename, dirname, resolve } from "node:path";
import { AppError } from "../../errors.ts";

/** What a person means by the first argument of `headway bucket`. */
export type Address =
  | { readonly is: "bucket"; readonly provider: string; readonly bucket: string; readonly prefix: string }
  | { readonly is: "folder"; readonly path: string; readonly folder: string }
  | { readonly is: "location"; readonly name: string };

const providers: Readonly<Record<string, string>> = { s3: "aws", gs: "gcp", azblob: "azure" };

/** Reads `s3://BUCKET[/PREFIX]`, `gs://…`, `azblob://…`, a folder (anything with a slash, or `.`), or a location's name. */
export function readAddress(text: string): Address {
  const [, scheme, rest = ""] = /^([a-z0-9]+):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme !== undefined) {
    const provider = providers[scheme.toLowerCase()];
    if (provider === undefined) throw wrong(text, `${scheme}:// is none of s3://, gs:// and azblob://`);
    const [bucket = "", ...parts] = rest.split("/");
    if (bucket === "") throw wrong(text, "it names no bucket");
    return { is: "bucket", provider, bucket, prefix: parts.join("/").replace(/\/+$/, "") };
  }
  if (text === "" || text === "." || text === ".." || text.includes("/")) {
    const full = resolve(text === "" ? "." : text);
    if (text === "" || full === "/") throw wrong(text, "it is no folder of backups");
    return { is: "folder", path: dirname(full), folder: basename(full) };
  }
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text)) {
    throw wrong(text, "it is no name of a location; a folder is written with a slash, such as ./backups");
  }
  return { is: "location", name: text };
}

function wrong(text: string, why: string): AppError {
  return new AppError("USAGE", `${JSON.stringify(text.slice(0, 200))}: ${why}`, { retry: false });
}
