import { expect, test } from "vitest";
import { idOf, noFilters, operationAddress, type Route, readRoute, writeRoute } from "./route.ts";

function read(address: string): Route {
  const [path = "", search = ""] = address.split("?");
  return readRoute(path, search);
}

test.each<[string, Route]>([
  ["/", { page: "overview" }],
  ["/schedules", { page: "schedules" }],
  ["/operations", { page: "operations", filters: noFilters }],
  [
    "/operations?q=a+b&kind=backup,restore&state=stalled&namespace=velero&cluster=blue",
    {
      page: "operations",
      filters: {
        text: "a b",
        kinds: ["backup", "restore"],
        states: ["stalled"],
        namespaces: ["velero"],
        clusters: ["blue"],
      },
    },
  ],
  [
    "/operations/backup/velero/shop",
    { page: "operation", kind: "backup", namespace: "velero", name: "shop", cluster: "" },
  ],
  [
    "/operations/backup/velero/shop?cluster=arn%3Aaws%2Fx&step=volumes",
    {
      page: "operation",
      kind: "backup",
      namespace: "velero",
      name: "shop",
      cluster: "arn:aws/x",
      step: "volumes",
    },
  ],
  [
    "/create/restore?from=velero%2Fshop",
    { page: "create", what: "restore", from: "velero/shop", cluster: "" },
  ],
])("an address and its route are each other's: %s", (address, route) => {
  expect(read(address)).toEqual(route);
  expect(read(writeRoute(route))).toEqual(route);
});

test.each(["/create", "/create/pod", "/operations/backup/velero", "/elsewhere"])(
  "readRoute() does not know %s",
  (address) => {
    expect(read(address)).toEqual({ page: "unknown" });
  },
);

test("odd names survive the address", () => {
  const address = operationAddress("backup/velero/a%b&c=d");
  const place = {
    page: "operation",
    kind: "backup",
    namespace: "velero",
    name: "a%b&c=d",
    cluster: "",
  } as const;
  expect(read(address)).toEqual(place);
  expect(idOf(place)).toBe("backup/velero/a%b&c=d");
  const elsewhere = read(operationAddress("backup/velero/a@admin@prod/eu"));
  expect(elsewhere).toMatchObject({ name: "a", cluster: "admin@prod/eu" });
  expect(elsewhere.page === "operation" && idOf(elsewhere)).toBe("backup/velero/a@admin@prod/eu");
  expect(read("/operations/backup/velero/100%")).toMatchObject({ name: "100%" });
});
