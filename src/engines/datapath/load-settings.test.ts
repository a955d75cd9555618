import { expect, test } from "vitest";
import type { KubeObject } from "../../api/index.ts";
import { ApiError, type Resource } from "../../kube/index.ts";
import { loadSettings } from "./load-settings.ts";

const where = { namespace: "velero", configMap: "agents", node: "n1" };
const signal = new AbortController().signal;

function cluster(objects: Readonly<Record<string, object>>) {
  return {
    get: async <T extends KubeObject>({ plural }: Resource, name: string): Promise<T> => {
      const found = objects[`${plural}/${name}`];
      if (!found) throw new ApiError("get", { code: 404, reason: "NotFound", message: "no" });
      return found as T;
    },
  };
}

const config = (value: object) => ({ data: { any: JSON.stringify(value) } });
const node = { metadata: { labels: { pool: "fast" } } };

test("loadSettings() reads the ConfigMap with the labels of the node, and says once what has no effect", async () => {
  const perNodeConfig = [{ nodeSelector: { matchLabels: { pool: "fast" } }, number: 3 }];
  const client = cluster({
    "configmaps/agents": config({
      loadConcurrency: { perNodeConfig },
      cachePVC: {},
      priorityClassName: "low",
    }),
    "nodes/n1": node,
  });
  const { settings, notes } = await loadSettings(client, where, signal);
  expect(settings.concurrency).toBe(3);
  expect(settings.priorityClass).toBeUndefined();
  expect(notes).toEqual([
    `ConfigMap "agents": cachePVC (caches lie in the agent's state folder) has no effect`,
    'ConfigMap "agents": there is no PriorityClass "low", so it has no effect',
  ]);
});

test("loadSettings() keeps a priority class that is there", async () => {
  const client = cluster({
    "configmaps/agents": config({ priorityClassName: "low" }),
    "priorityclasses/low": {},
  });
  expect((await loadSettings(client, where, signal)).settings.priorityClass).toBe("low");
});

test("loadSettings() refuses a ConfigMap that is not there", async () => {
  await expect(loadSettings(cluster({}), where, signal)).rejects.toMatchObject({ code: "AGENT_SETTINGS" });
});
