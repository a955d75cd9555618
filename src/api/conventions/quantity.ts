const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number behind a Kubernetes quantity such as `10Gi`, `100m`, `1e3` or 5; undefined when it is none. */
export function parseQuantity(quantity: string | number | null | undefined): number | undefined {
  if (typeof quantity === "number") return Number.isFinite(quantity) ? quantity : undefined;
  const [, digits, exponent, suffix = ""] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE][+-]?\d+)|([KMGTPE]i|[numkMGTPE]))?$/.exec(quantity ?? "") ?? [];
  const factor = factors[suffix];
  if (digits === undefined || factor === undefined) return undefined;
  return Number(`${digits}${exponent ?? ""}`) * factor;
}
