import type { Drill } from "../../api/index.ts";
import { type DrillStep, readStep, type StoredStep, tellDrill } from "../../kinds/index.ts";
import type { Observation } from "../../progress/index.ts";
import type { DrillDeps } from "./deps.ts";

/** What a drill's status holds. */
export type DrillStatus = NonNullable<Drill["status"]>;
/** What is seen of steps. */
export type StepsSeen = Partial<Readonly<Record<DrillStep, Partial<Observation>>>>;

/** One look at a drill: what is known of it, and the one way to say more. */
export class Desk {
  readonly deps: DrillDeps;
  #drill: Drill;

  constructor(deps: DrillDeps, drill: Drill) {
    this.deps = deps;
    this.#drill = drill;
  }

  get drill(): Drill {
    return this.#drill;
  }

  get status(): DrillStatus {
    return this.#drill.status ?? {};
  }

  get uid(): string {
    return this.#drill.metadata.uid ?? "";
  }

  step(name: DrillStep): StoredStep | undefined {
    return this.status.steps?.find((one) => one.name === name);
  }

  /** Says what is seen of the steps; it is written within the budget. */
  tell(steps: StepsSeen): void {
    this.deps.report.tell(this.#drill, this.#told(this.#drill, steps));
  }

  /** Writes what is decided; what follows finds it in the cluster. */
  async put(changes: DrillStatus, steps: StepsSeen = {}): Promise<void> {
    const next: Drill = { ...this.#drill, status: { ...this.status, ...changes } };
    const told = this.#told(next, steps);
    this.deps.report.tell(this.#drill, told, { status: changes, urgent: JSON.stringify([changes, steps]) });
    await this.deps.report.settled(this.#drill);
    this.#drill = withSteps(next, told);
  }

  /** Writes the last word. */
  async end(changes: DrillStatus, steps: StepsSeen = {}): Promise<void> {
    const next: Drill = { ...this.#drill, status: { ...this.status, ...changes } };
    await this.deps.report.end(this.#drill, this.#told(next, steps), { status: changes });
    this.#drill = next;
  }

  /** The status with steps as they will be written, for the report. */
  foreseen(changes: DrillStatus, steps: StepsSeen): DrillStatus {
    const next: Drill = { ...this.#drill, status: { ...this.status, ...changes } };
    return withSteps(next, this.#told(next, steps)).status ?? {};
  }

  #told(drill: Drill, steps: StepsSeen): Observation {
    const known = new Map<DrillStep, Partial<Observation>>(
      (drill.status?.steps ?? []).map((step) => [step.name, readStep(step)]),
    );
    for (const [name, seen] of Object.entries(steps)) {
      known.set(name as DrillStep, { ...known.get(name as DrillStep), ...seen }); // the keys are names of steps
    }
    return tellDrill(drill, known);
  }
}

function withSteps(drill: Drill, told: Observation): Drill {
  const steps = (told.children ?? []).flatMap((child): StoredStep[] => {
    const { id, state = "pending", startedAt, finishedAt, message, errors = 0 } = child;
    if (state === "pending") return [];
    return [
      {
        name: id as DrillStep, // the children of a drill are its steps
        state,
        ...(startedAt !== undefined && { startedAt }),
        ...(finishedAt !== undefined && { finishedAt }),
        ...(message !== undefined && { message }),
        ...(errors > 0 && { errors }),
      },
    ];
  });
  return { ...drill, status: { ...drill.status, steps } };
}
