import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type KubeObject, kinds, type OperationObject, readOperation } from "../../src/api/index.ts";
import { type RootObject, rootStateOf } from "../../src/kinds/index.ts";
import { type Client, type Resource, resourceOf } from "../../src/kube/index.ts";
import { doneWords, headline, isTerminal, type Operation, shownState } from "../../src/progress/index.ts";
import { eventually } from "./eventually.ts";
import { startHeadway } from "./headway-process.ts";

/** Where one operation is looked at. */
export interface Place {
  readonly client: Client;
  readonly kubeconfig: string;
  /** Of the operator that serves. */
  readonly url: string;
  readonly token: string;
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** The page of this operation. */
  readonly page: Page;
  /** What upstream's own status says of it while it runs. */
  readonly upstream: (object: KubeObject) => Partial<Shown>;
}

/** What a surface shows at one moment, as far as it does. */
export interface Shown {
  readonly state: string;
  readonly fraction: number;
  /** Of the part that counts objects. */
  readonly items: number;
  /** The title of the step that runs. */
  readonly step: string;
  readonly bytesPerSecond: number;
  /** The percent, cut off, in words. */
  readonly done: string;
}

interface Sight extends Partial<Shown> {
  readonly surface: string;
  readonly at: number;
}

/** One update of what others read may be this old: the budget of writes stretches to ten seconds. */
const updateMs = 12_000;

/** Starts an operation and follows it from its first moment to its end on every surface, and what the operator itself shows meanwhile. */
export async function follow(place: Place, start: () => Promise<unknown>) {
  const id = `${place.resource.kind.toLowerCase()}/${place.namespace}/${place.name}`;
  const truth: Sight[] = [];
  const seen: Sight[] = [];
  const over = new AbortController();
  const listening = collect(place, id, truth, over.signal);
  await start();
  let object: KubeObject;
  do {
    // The page is read between two readings of the metrics: both meters are then asked about the same moment.
    for (const look of [fromOperation, fromMetrics, fromPage, fromMetrics, fromCommand])
      seen.push(...(await look(place, id)));
    object = await place.client.get(place.resource, place.name, { namespace: place.namespace });
    if (!isOver(object) && object["status" as keyof KubeObject] !== undefined)
      seen.push({ surface: "status", at: Date.now(), ...place.upstream(object) });
  } while (!isOver(object));
  const stored = await eventually(
    () => operationOf(place),
    (found) => found?.status !== undefined && isTerminal(found.status.state),
  );
  const last = await eventually(
    () => fromApi(place, id),
    (operation) => operation !== undefined && isTerminal(operation.state),
  );
  over.abort();
  await listening;
  await place.page.locator("h1 + [data-state=completed]").waitFor({ timeout: 30_000 });
  const ends = [last, await commandOperation(place, id), stored?.status];
  return { truth, seen, object, ends, page: await readPage(place.page) };
}

/** Whatever a surface shows is what the operator shows now, or showed within the last update. */
export function expectOne(
  { truth, seen, ends, page }: Awaited<ReturnType<typeof follow>>,
  surfaces: readonly string[],
): void {
  for (const surface of surfaces)
    expect(seen.filter((one) => one.surface === surface).length, `moments of ${surface}`).toBeGreaterThan(0);
  for (const { surface, at, ...shown } of seen) {
    // Each surface has a wire of its own: what one shows now another may show an update later.
    const next =
      truth.findLast((moment) => moment.at >= at && moment.at <= at + updateMs) ??
      truth.find((moment) => moment.at >= at) ??
      truth.at(-1);
    const oldest = truth.findLast((moment) => moment.at <= at - updateMs);
    const window = truth.filter((moment) => moment.at >= at - updateMs && moment.at <= (next?.at ?? at));
    for (const what of ["state", "step"] as const) {
      if (shown[what] === undefined) continue;
      expect(
        window.map((moment) => moment[what]),
        `${what} of ${surface}`,
      ).toContain(shown[what]);
    }
    for (const what of ["fraction", "items"] as const) {
      const value = shown[what];
      if (value === undefined) continue;
      // Percents are cut off; upstream's counters are one short of whole before the end.
      const slack = what === "items" ? 1 : 0.01;
      expect(value, `${what} of ${surface} is ahead`).toBeLessThanOrEqual((next?.[what] ?? 0) + 1e-9);
      expect(value, `${what} of ${surface} is too old`).toBeGreaterThanOrEqual((oldest?.[what] ?? 0) - slack);
    }
  }
  expectOneRate(seen);
  const [api] = ends;
  const stepsOf = (operation: Operation | undefined) =>
    operation?.children.map(({ id, title, state }) => [id, title, state]);
  for (const end of ends) {
    expect(end).toMatchObject({ state: "completed", fraction: 1 });
    expect(stepsOf(end)).toEqual(stepsOf(api));
    expect(end && headline(end), "the words of the end").toBe(api && headline(api));
  }
  expect(page).toMatchObject({ state: "completed", done: "100%" });
  expect(page.news).toContain(api ? headline(api) : "nothing");
}

/** The page's rate and Prometheus' come of one meter: neither shows what the other never had. */
function expectOneRate(seen: readonly Sight[]): void {
  const rates = (surface: string) =>
    seen.flatMap((one) =>
      one.surface === surface && one.bytesPerSecond !== undefined
        ? [{ at: one.at, rate: one.bytesPerSecond }]
        : [],
    );
  const metrics = rates("metrics");
  for (const { at, rate } of rates("page")) {
    const near = metrics.filter((one) => Math.abs(one.at - at) <= updateMs).map((one) => one.rate);
    if (near.length === 0) continue;
    expect(rate, "the page's rate").toBeGreaterThanOrEqual(Math.min(...near) * 0.5);
    expect(rate, "the page's rate").toBeLessThanOrEqual(Math.max(...near) * 2 + 1);
  }
}

async function collect(place: Place, id: string, truth: Sight[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const operation = await fromApi(place, id);
    if (operation) truth.push(sightOf("api", operation));
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function sightOf(surface: string, operation: Operation): Sight {
  const items = operation.children.find((child) => child.id === "items")?.progress?.done;
  const step = operation.children.find((child) => child.state === "running")?.title;
  return {
    surface,
    at: Date.now(),
    state: shownState(operation),
    fraction: operation.fraction ?? 0,
    done: doneWords(operation),
    ...(items !== undefined && { items }),
    ...(step !== undefined && { step }),
  };
}

const ask = ({ url, token }: Place, path: string) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });

async function fromApi(place: Place, id: string): Promise<Operation | undefined> {
  const { operations } = (await (await ask(place, "/api/operations")).json()) as {
    operations: readonly Operation[];
  };
  return operations.find((operation) => operation.id === id);
}

async function operationOf({ client, resource, namespace, name }: Place) {
  const all = await client.list<OperationObject>(resourceOf(kinds.Operation), { namespace });
  return all.find(({ metadata }) => metadata.name === `${resource.kind.toLowerCase()}-${name}`);
}

async function fromOperation(place: Place): Promise<readonly Sight[]> {
  const stored = await operationOf(place);
  const operation = stored && readOperation(stored);
  if (!operation || isTerminal(operation.state)) return [];
  // The words of kubectl's columns are those of everybody.
  expect(stored.status?.shown).toMatchObject({ state: shownState(operation), done: doneWords(operation) });
  return [sightOf("Operation", operation)];
}

/** What another process makes of the same cluster. */
async function commandOperation({ kubeconfig }: Place, id: string): Promise<Operation | undefined> {
  const run = startHeadway("get", "operations", "-o", "json", "--kubeconfig", kubeconfig);
  expect(await run.ended, run.said()).toBe(0);
  const all = JSON.parse(run.lines().join("\n")) as readonly Operation[];
  return all.find((operation) => operation.id === id);
}

async function fromCommand(place: Place, id: string): Promise<readonly Sight[]> {
  const operation = await commandOperation(place, id);
  return operation && !isTerminal(operation.state) ? [sightOf("command", operation)] : [];
}

async function fromMetrics(place: Place): Promise<readonly Sight[]> {
  const lines = (await (await ask(place, "/metrics")).text()).split("\n");
  const valueOf = (family: string) => {
    const line = lines.find((text) => text.startsWith(`${family}{`) && text.includes(`name="${place.name}"`));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  };
  const fraction = valueOf("headway_operation_progress_ratio");
  const bytesPerSecond = valueOf("headway_operation_bytes_per_second");
  if (fraction === undefined) return [];
  return [
    { surface: "metrics", at: Date.now(), fraction, ...(bytesPerSecond !== undefined && { bytesPerSecond }) },
  ];
}

interface PageWords {
  readonly state: string | undefined;
  readonly done: string | undefined;
  readonly news: string | undefined;
  readonly rate: string | undefined;
}

const pageWords = `(() => {
  const text = (selector) => document.querySelector(selector)?.textContent ?? undefined;
  const rate = [...document.querySelectorAll("dt")].find((name) => name.textContent === "Rate");
  return {
    state: document.querySelector("h1 + [data-state]")?.dataset.state,
    done: text(".hw-hero__percent"),
    news: text(".hw-hero__news"),
    rate: rate?.nextElementSibling?.textContent ?? undefined,
  };
})()`;

function readPage(page: Page): Promise<PageWords> {
  return page.evaluate(pageWords) as Promise<PageWords>; // what the expression gives
}

async function fromPage({ page }: Place): Promise<readonly Sight[]> {
  const { state, done, rate } = await readPage(page);
  if (state !== "running" && state !== "stalled") return [];
  const percent = done?.match(/^(\d+)%$/)?.[1];
  const bytesPerSecond = rate === undefined ? undefined : bytesOf(rate);
  return [
    {
      surface: "page",
      at: Date.now(),
      state,
      ...(percent !== undefined && { fraction: Number(percent) / 100 }),
      ...(bytesPerSecond !== undefined && { bytesPerSecond }),
    },
  ];
}

function bytesOf(text: string): number | undefined {
  const found = /^([\d.]+) (B|KiB|MiB|GiB)\/s$/.exec(text);
  const units = ["B", "KiB", "MiB", "GiB"];
  return found ? Number(found[1]) * 1024 ** units.indexOf(found[2] ?? "B") : undefined;
}

function isOver(object: KubeObject): boolean {
  return isTerminal(rootStateOf(object as RootObject)); // the caller names the kinds of operations only
}
