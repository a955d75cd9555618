import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const tickMs = 50;

/** A connection to a server that lets so many bytes a second through, both ways together; it can be frozen. */
export class SlowLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Bytes that wait for their turn; without any the connection has ended. */
  readonly #waiting: { readonly bytes: Buffer; readonly to: Socket; readonly from: Socket }[] = [];
  readonly #timer: NodeJS.Timeout;
  #bytesPerSecond: number;
  #passed = 0;

  private constructor(target: URL, bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#server = createServer((from) => {
      const to = connect(Number(target.port), target.hostname);
      this.#join(from, to);
      this.#join(to, from);
    });
    this.#timer = setInterval(() => this.#pump(), tickMs);
  }

  /** A link to the server at this address. */
  static async to(address: string, bytesPerSecond: number): Promise<SlowLink> {
    const link = new SlowLink(new URL(address), bytesPerSecond);
    await new Promise<void>((resolve) => link.#server.listen(0, "127.0.0.1", resolve));
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Bytes that went through, both ways. */
  get passed(): number {
    return this.#passed;
  }

  /** From now on so many bytes a second; 0 holds everything back. */
  limit(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#sockets.delete(from);
      this.#waiting.push({ bytes: Buffer.alloc(0), to, from });
    });
    from.on("data", (bytes: Buffer) => {
      from.pause();
      this.#waiting.push({ bytes, to, from });
    });
  }

  #pump(): void {
    let left = (this.#bytesPerSecond * tickMs) / 1000;
    while (left > 0) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (next.bytes.length === 0) {
        next.to.end();
        continue;
      }
      const part = next.bytes.subarray(0, Math.ceil(left));
      next.to.write(part);
      this.#passed += part.length;
      left -= part.length;
      const rest = next.bytes.subarray(part.length);
      if (rest.length > 0) this.#waiting.unshift({ ...next, bytes: rest });
      else next.from.resume();
    }
  }
}
