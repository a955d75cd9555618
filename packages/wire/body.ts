import type { IncomingMessage } from "node:http";

/** The body of a request is longer than whoever reads it takes. */
export class TooLong extends Error {
  override readonly name = "TooLong";
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the body is longer than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/** Reads a body whole. What it announces is measured before a byte is read, what it sends before it is kept. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) throw new TooLong(limitBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new TooLong(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
