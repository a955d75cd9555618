import { AppError } from "../errors.ts";

/** Keys for S3. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Reads one profile out of the text of an AWS shared credentials file; messages never repeat its content. */
export function parseCredentials(text: string, profile = "default"): Credentials {
  const values = section(text, profile);
  if (values === undefined) {
    throw new AppError("STORE_CONFIG", `the credentials have no profile "${profile}"`, { retry: false });
  }
  const accessKeyId = values.get("aws_access_key_id") ?? "";
  const secretAccessKey = values.get("aws_secret_access_key") ?? "";
  const missing = [
    ...(accessKeyId === "" ? ["aws_access_key_id"] : []),
    ...(secretAccessKey === "" ? ["aws_secret_access_key"] : []),
  ];
  if (missing.length > 0) {
    const what = `the profile "${profile}" of the credentials lacks ${missing.join(" and ")}`;
    throw new AppError("STORE_CONFIG", what, { retry: false });
  }
  const sessionToken = values.get("aws_session_token");
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

function section(text: string, wanted: string): Map<string, string> | undefined {
  let found: Map<string, string> | undefined;
  let inside = false;
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const line = raw.trim();
    const name = /^\[\s*(?:profile\s+)?(.+?)\s*\]$/.exec(line)?.[1];
    if (name !== undefined) {
      inside = name === wanted;
      if (inside) found ??= new Map();
      continue;
    }
    const cut = line.indexOf("=");
    if (!inside || cut < 0 || line.startsWith("#") || line.startsWith(";")) continue;
    found?.set(line.slice(0, cut).trim().toLowerCase(), unquote(line.slice(cut + 1).trim()));
  }
  return found;
}

/** Secrets made by hand often carry the shell's quotes. */
function unquote(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}
