import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { killHard, moversOf, signalAll, spawnAgent } from "../harness/agent-process.ts";
import { type PipedRun, startWith } from "../harness/headway-process.ts";
import type { Side } from "../harness/migration-sides.ts";
import { testMoverFolders } from "../harness/movers.ts";

/** What is killed. */
export type Victim = "operator" | "agent" | "mover";

/** The operator and the agent of a cluster as processes, each started again when it was killed. */
export class Victims {
  readonly #side: Side;
  readonly #operatorArgs: readonly string[];
  readonly #agentOptions: Parameters<typeof spawnAgent>[0];
  #operator: PipedRun;
  #agent: ChildProcess;

  constructor(
    side: Side,
    options: { namespace: string; folder: string; uploader: string; controllers: string },
  ) {
    const { namespace, folder, uploader, controllers } = options;
    this.#side = side;
    const temp = join(folder, "temp");
    mkdirSync(temp, { recursive: true });
    const flags = {
      kubeconfig: side.kubeconfig,
      namespace,
      controllers,
      "temp-dir": temp,
      "uploader-type": uploader,
      "restore-helper-image": side.image,
      "stage-image": side.image,
    };
    const named = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    // After a kill the lease of the dead one would have to run out, which takes a quarter of a minute each time.
    this.#operatorArgs = ["operator", "--no-leader-election", "--no-serve", ...named];
    const { kubeconfig, node, podsDir } = side;
    this.#agentOptions = { kubeconfig, namespace, node, hostPods: podsDir, stateDir: join(folder, "agent") };
    this.#operator = this.#startOperator();
    this.#agent = spawnAgent(this.#agentOptions);
  }

  /** Kills one with -9 and starts it again; how many processes that were, none when no mover runs. */
  async kill(victim: Victim): Promise<number> {
    switch (victim) {
      case "operator":
        await this.#killOperator();
        this.#operator = this.#startOperator();
        return 1;
      case "agent":
        await killHard(this.#agent);
        this.#agent = spawnAgent(this.#agentOptions);
        return 1;
      case "mover": {
        const pids = this.movers();
        signalAll(pids, "SIGKILL");
        return pids.length;
      }
    }
  }

  /** Stops one as a frozen machine would, until it is told to go on. */
  freeze(victim: Victim): { goOn(): void } {
    const pids = {
      operator: () => [this.#operator.pid],
      agent: () => (this.#agent.pid === undefined ? [] : [this.#agent.pid]),
      mover: () => this.movers(),
    }[victim]();
    signalAll(pids, "SIGSTOP");
    return { goOn: () => signalAll(pids, "SIGCONT") };
  }

  /** The movers that the agent runs now. */
  movers(): number[] {
    return moversOf(`agent:${this.#agentOptions.stateDir}`);
  }

  /** What the operator that lives now said. */
  said(): string {
    return this.#operator.said();
  }

  async close(): Promise<void> {
    await this.#killOperator();
    await killHard(this.#agent);
    signalAll(this.movers(), "SIGKILL");
  }

  #startOperator(): PipedRun {
    const path = [process.env["PATH"], ...testMoverFolders()].join(":");
    return startWith({ env: { PATH: path, KANISTER_TOOLS: this.#side.image } }, this.#operatorArgs);
  }

  async #killOperator(): Promise<void> {
    this.#operator.signal("SIGKILL");
    await this.#operator.ended;
  }
}
