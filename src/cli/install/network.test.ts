import { expect, test } from "vitest";
import { program } from "./manifests.ts";
import { networkPolicies } from "./network.ts";

test("networkPolicies() opens the operator's own ports, and nothing of the agents", () => {
  const [operator, agent] = networkPolicies({ namespace: "velero" }, (name) => ({ name }));
  expect(operator?.["spec"]).toMatchObject({
    podSelector: { matchLabels: { "app.kubernetes.io/name": "headway" } },
    policyTypes: ["Ingress"],
    ingress: [{ ports: [{ port: "http" }] }, { ports: [{ port: "webhook" }] }],
  });
  expect(agent?.["spec"]).toMatchObject({
    podSelector: { matchLabels: { "app.kubernetes.io/name": "headway-agent" } },
    policyTypes: ["Ingress"],
    ingress: [],
  });
  expect(networkPolicies({ namespace: "velero", agent: false }, () => ({}))).toHaveLength(1);
});

test("the ports that are opened are those of the operator's container", () => {
  const deployment = program({ namespace: "velero", image: "a" }).find(({ kind }) => kind === "Deployment");
  const text = JSON.stringify(deployment);
  for (const port of ["http", "webhook"]) expect(text).toContain(`"name":"${port}","containerPort"`);
});
