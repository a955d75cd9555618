import { createHash } from "node:crypto";
import { strictly } from "../percent.ts";
import type { GcsSettings } from "./config.ts";
import type { Signer } from "./tokens.ts";

/** An address that anyone can read the object from for a while: Google's signature, version 4. */
export async function signedLink(
  { links, bucket }: Pick<GcsSettings, "links" | "bucket">,
  key: string,
  ttlSeconds: number,
  signer: Signer,
  nowMs = Date.now(),
): Promise<string> {
  const host = new URL(links).host;
  const path = `/${bucket}/${key.split("/").map(strictly).join("/")}`;
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/auto/storage/goog4_request`;
  const query = Object.entries({
    "X-Goog-Algorithm": "GOOG4-RSA-SHA256",
    "X-Goog-Credential": `${signer.email}/${scope}`,
    "X-Goog-Date": time,
    "X-Goog-Expires": String(Math.min(ttlSeconds, 604_800)),
    "X-Goog-SignedHeaders": "host",
  })
    .map(([name, value]) => `${name}=${strictly(value)}`)
    .join("&");
  const request = ["GET", path, query, `host:${host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n");
  const digest = createHash("sha256").update(request).digest("hex");
  const signature = await signer.sign(["GOOG4-RSA-SHA256", time, scope, digest].join("\n"));
  return `${links}${path}?${query}&X-Goog-Signature=${signature.toString("hex")}`;
}
