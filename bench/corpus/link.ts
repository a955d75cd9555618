import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** How a link behaves: bytes a second at a moment (seconds since its start) after so many bytes, and its delay. */
export interface LinkShape {
  readonly rate: (seconds: number, carried: number) => number;
  readonly delayMs?: number;
}

/** A slow road to a server: a proxy on loopback that lets both directions together pass at the given rate. */
export interface Link {
  readonly port: number;
  carried(): number;
  /** Starts another run, so many times slower than the shape says: from now on this shape holds, and its clock begins. */
  shape(next: LinkShape, slower?: number): void;
  close(): Promise<void>;
}

const tickMs = 40;

/** Opens a link to a port of this machine. */
export async function openLink(target: number): Promise<Link> {
  let shape: LinkShape = { rate: () => 1e9 };
  let [from, carried, allowance, last] = [performance.now(), 0, 0, performance.now()];
  const waiting: (() => void)[] = [];
  const timer = setInterval(() => {
    const now = performance.now();
    const rate = shape.rate((now - from) / 1000, carried);
    allowance = Math.min(allowance + (rate * (now - last)) / 1000, Math.max(128_000, 2 * rate));
    last = now;
    const ready = waiting.splice(0);
    for (const go of ready) go();
  }, tickMs);
  const take = async (bytes: number): Promise<void> => {
    for (let left = bytes; left > 0; ) {
      if (allowance <= 0) await new Promise<void>((resolve) => waiting.push(resolve));
      const now = Math.min(left, Math.max(0, allowance));
      allowance -= now;
      left -= now;
    }
    carried += bytes;
  };
  const pump = async (source: Socket, sink: Socket): Promise<void> => {
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        if (shape.delayMs) await delay(shape.delayMs);
        for (let at = 0; at < chunk.length; at += 65_536) {
          const piece = chunk.subarray(at, at + 65_536);
          await take(piece.length);
          if (!sink.write(piece)) await drained(sink);
        }
      }
      sink.end();
    } catch {
      sink.destroy(); // one side hung up: so does the other
    }
  };
  const server = createServer({ highWaterMark: 65_536, allowHalfOpen: true }, (near) => {
    const far = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true });
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    void pump(near, far);
    void pump(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the link has no port");
  return {
    port: address.port,
    carried: () => carried,
    shape({ rate, ...rest }, slower = 1) {
      shape = { ...rest, rate: (seconds, bytes) => rate(seconds, bytes) / slower };
      [from, carried, allowance] = [performance.now(), 0, 0];
    },
    async close() {
      clearInterval(timer);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.unref();
        resolve();
      });
    },
  };
}

/** Resolves when the socket takes more, or never will. */
function drained(sink: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      sink.off("drain", go).off("close", go);
      resolve();
    };
    sink.on("drain", go).on("close", go);
  });
}
