import { spawnSync } from "node:child_process";
import { eventually } from "../harness/eventually.ts";
import { clusterRoleBindings } from "../harness/granted-account.ts";
import { type Attack, mustHold } from "./attack.ts";
import type { Stage } from "./stage.ts";

const look = [{ apiGroups: ["headway.dev"], resources: ["operations"], verbs: ["get", "list", "watch"] }];

const openStream: Attack = {
  kind: "outlived right",
  tried: "a stream of the operator's page that stays open when the binding that allowed it is deleted",
  async run(stage) {
    const page = stage.pages?.operator;
    if (!page) throw new Error("there is no page");
    const token = await stage.account("follower", look);
    const mine = { url: page.url, token };
    await eventually(
      async () => (await stage.ask(mine, "/api/operations")).status,
      (status) => status === 200,
    );
    const response = await fetch(`${page.url}/api/stream`, { headers: { authorization: `Bearer ${token}` } });
    let [text, isOver] = ["", false];
    const reading = (async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
      isOver = true;
    })();
    await stage.client.delete(clusterRoleBindings, `${stage.namespace}-follower`);
    const began = performance.now();
    await eventually(() => isOver, Boolean, 90_000);
    await reading;
    const seconds = Math.round((performance.now() - began) / 1000);
    mustHold(text.includes("event: reset"), "the stream never began");
    await stage.create("Backup", "after-the-end", {
      spec: { storageLocation: "default" },
      status: { phase: "Completed" },
    });
    const { status } = await stage.ask(mine, "/api/operations");
    mustHold(status === 403 && !text.includes("after-the-end"), `a new request gets ${status}`);
    return `the stream ended after ${seconds} s, a new request gets 403`;
  },
};

const tokens: Attack = {
  kind: "outlived right",
  tried:
    "no token, a wrong one, one in the address, and the token of an account without rights, on both pages",
  async run(stage) {
    const { pages } = stage;
    if (!pages) throw new Error("there is no page");
    const stranger = await stage.account("stranger", []);
    const found: number[] = [];
    for (const page of [pages.operator, pages.serve]) {
      const paths = [
        "/api/operations",
        `/api/objects/Backup/${stage.namespace}/ssrf`,
        "/api/stream",
        "/metrics",
      ];
      for (const path of paths) {
        for (const init of [
          {},
          { headers: { authorization: "Bearer wrong" } },
          { headers: { authorization: `Bearer ${stranger}` } },
        ]) {
          found.push(await statusOf(`${page.url}${path}`, init));
        }
        found.push(await statusOf(`${page.url}${path}?token=${page.token}`, {}));
      }
    }
    mustHold(
      found.every((status) => status === 401 || status === 403),
      `answers ${found.join(" ")}`,
    );
    return `${found.length} requests, each 401 or 403`;
  },
};

async function statusOf(url: string, init: RequestInit): Promise<number> {
  const answer = await fetch(url, init);
  await answer.body?.cancel();
  return answer.status;
}

/** What the accounts of the default installation must not be able to do: verb, resource, and where. */
const forbidden: readonly (readonly [account: string, ...words: string[]])[] = [
  ...["headway", "headway-agent", "headway-restore"].flatMap((account) => [
    [account, "create", "clusterrolebindings"] as const,
    [account, "escalate", "clusterroles"] as const,
    [account, "bind", "clusterroles"] as const,
    [account, "create", "serviceaccounts/token", "-n", "kube-system"] as const,
    [account, "create", "pods", "-n", "kube-system"] as const,
    [account, "delete", "secrets", "-n", "kube-system"] as const,
    [account, "patch", "deployments.apps", "-n", "default"] as const,
    [account, "impersonate", "users"] as const,
    [account, "impersonate", "groups"] as const,
    [account, "impersonate", "serviceaccounts/default", "-n", "kube-system"] as const,
    [account, "*", "*"] as const,
  ]),
  ["headway-agent", "list", "secrets"],
  ["headway-agent", "create", "pods", "-n", "default"],
  ["headway-agent", "create", "pods/exec", "-n", "default"],
  ["headway-restore", "get", "secrets", "-n", "default"],
];

const roles: Attack = {
  kind: "roles of the installation",
  tried: `headway install, then kubectl auth can-i for ${forbidden.length} things that nobody needs`,
  impossible:
    spawnSync("kubectl", ["version", "--client"]).status === 0 ? undefined : "there is no kubectl here",
  async run(stage) {
    const namespace = `${stage.namespace}-roles`;
    const install = [
      "install",
      "--apply",
      "--no-wait",
      "--image",
      stage.options.image,
      "--image-pull-policy",
      "Never",
    ];
    const { code, said } = await stage.headway(install, namespace);
    mustHold(code === 0, `the installation ended ${code}: ${said}`);
    try {
      const may = forbidden.filter((words) => canI(stage, namespace, words));
      mustHold(may.length === 0, `may: ${may.map((words) => words.join(" ")).join("; ")}`);
      // The question itself works: a backup holds everything.
      mustHold(
        canI(stage, namespace, ["headway", "list", "secrets"]),
        "the operator cannot read what it backs up",
      );
      return `none of ${forbidden.length} is allowed`;
    } finally {
      await stage.headway(["uninstall", "--delete-namespace"], namespace);
    }
  },
};

function canI(stage: Stage, namespace: string, [account, ...words]: readonly [string, ...string[]]): boolean {
  const who = `system:serviceaccount:${namespace}:${account}`;
  const args = ["--kubeconfig", stage.options.kubeconfig, "auth", "can-i", ...words, "--as", who];
  const { stdout } = spawnSync("kubectl", args, { encoding: "utf8" });
  if (!/^(yes|no)/.test(stdout)) throw new Error(`kubectl ${args.join(" ")} said ${stdout}`);
  return stdout.startsWith("yes");
}

/** Attacks by rights that somebody has not, or no longer. */
export const rightAttacks: readonly Attack[] = [tokens, roles, openStream];
