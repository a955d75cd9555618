import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Stands in front of a server and lets connections wait: they are accepted, and nothing is answered until it opens. */
export class SlowDoor {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #waiting: (() => void)[] = [];
  #isOpen = false;

  private constructor(target: URL) {
    this.#server = createServer((from) => {
      this.#keep(from);
      const pass = () => {
        const to = connect(Number(target.port), target.hostname);
        this.#keep(to);
        from.pipe(to).pipe(from);
      };
      if (this.#isOpen) pass();
      else this.#waiting.push(pass);
    });
  }

  /** A door in front of the server at this address, shut. */
  static async before(address: string): Promise<SlowDoor> {
    const door = new SlowDoor(new URL(address));
    await new Promise<void>((resolve) => door.#server.listen(0, "127.0.0.1", resolve));
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  open(): void {
    this.#isOpen = true;
    for (const pass of this.#waiting.splice(0)) pass();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined); // the other side cut first
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
