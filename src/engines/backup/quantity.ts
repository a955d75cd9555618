const factors: Readonly<Record<string, number>> = {
  "": 1,
  m: 1e-3,
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

/** The bytes of a Kubernetes quantity such as `10Gi`, `1e3` or `500M`; undefined when it is none. */
export function quantityBytes(text: string): number | undefined {
  const [, amount, suffix = ""] =
    /^([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(text.trim()) ?? [];
  const factor = factors[suffix];
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
}
