import { randomBytes } from "node:crypto";
import { cutInto, sendParts } from "../chunks.ts";
import type { HttpRequest } from "../http.ts";
import type { Body } from "../store.ts";

/** Blocks under way at a time; memory is bounded by this and one more. */
const parallel = 2;

/** What an upload needs of its store: the blob's address with a query, and requests that are signed. */
export interface UploadTarget {
  url(query: Readonly<Record<string, string>>): URL;
  send(request: HttpRequest, signal?: AbortSignal): Promise<void>;
}

/**
 * Writes a blob: in one request when it fits a block, else in blocks and a list of them. Blocks that no list names are
 * never seen, and Azure drops them after a week or with the next write of the blob; there is no request that drops them.
 */
export async function uploadAzure(
  target: UploadTarget,
  body: Body,
  blockBytes: number,
  signal?: AbortSignal,
): Promise<void> {
  const cut = await cutInto(body, blockBytes, signal);
  const octets = "application/octet-stream";
  if ("whole" in cut) {
    const headers = { "x-ms-blob-type": "BlockBlob", "content-type": octets };
    return target.send({ method: "PUT", url: target.url({}), headers, body: cut.whole }, signal);
  }
  // Two uploads of the same blob must not take each other's blocks; all names of a blob's blocks have one length.
  const upload = randomBytes(8).toString("hex");
  const ids: string[] = [];
  const send = (part: Uint8Array, index: number) => {
    const id = Buffer.from(`${upload}-${String(index).padStart(6, "0")}`).toString("base64");
    ids.push(id);
    return target.send(
      { method: "PUT", url: target.url({ comp: "block", blockid: id }), body: part },
      signal,
    );
  };
  await sendParts(cut.parts, parallel, send, signal);
  const list = ids.map((id) => `<Latest>${id}</Latest>`).join("");
  const headers = { "x-ms-blob-content-type": octets, "content-type": "application/xml" };
  const url = target.url({ comp: "blocklist" });
  await target.send({ method: "PUT", url, headers, body: `<BlockList>${list}</BlockList>` }, signal);
}
