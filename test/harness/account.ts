import { builtIn, type Client } from "../../src/kube/index.ts";
import { eventually } from "./eventually.ts";

const { serviceAccounts: accounts } = builtIn;

/** Waits until a new namespace has its account: pods are refused before, and controllers take a while after an outage. */
export async function accountReady(client: Client, namespace: string): Promise<void> {
  await eventually(
    () =>
      client.get(accounts, "default", { namespace }).then(
        () => true,
        () => false,
      ),
    (there) => there,
    150_000,
  );
}
