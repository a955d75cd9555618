/** A Kubernetes label selector, as custom resources carry it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null | undefined;
  readonly matchExpressions?: readonly LabelExpression[] | null | undefined;
}

/** One requirement of a label selector. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

/** Whether labels satisfy a selector; an empty selector selects everything, as in Kubernetes. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  const equal = Object.entries(selector.matchLabels ?? {}).every(
    ([key, value]) => own(labels, key) === value,
  );
  return equal && (selector.matchExpressions ?? []).every((expression) => holds(expression, labels));
}

/** The selector as a query string for the API server, which evaluates it itself. */
export function selectorQuery(selector: LabelSelector): string {
  return [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector.matchExpressions ?? []).map(expressionQuery),
  ].join(",");
}

/** Why a selector cannot be used, or undefined when it can. */
export function selectorFault(selector: LabelSelector): string | undefined {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const fault = keyFault(key) ?? valueFault(key, value);
    if (fault) return fault;
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const fault = keyFault(key) ?? (values ?? []).flatMap((value) => valueFault(key, value) ?? [])[0];
    if (fault) return fault;
    const count = values?.length ?? 0;
    if (operator === "In" || operator === "NotIn") {
      if (count === 0) return `"${key}" ${operator} needs at least one value`;
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (count > 0) return `"${key}" ${operator} takes no values`;
    } else return `"${operator}" is not a selector operator`;
  }
  return undefined;
}

const word = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The API server refuses a query with such a key, each time it is asked. */
function keyFault(key: string): string | undefined {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const good = word.test(key.slice(slash + 1)) && (prefix === undefined || isDomain(prefix));
  return good ? undefined : `${JSON.stringify(key)} cannot be the key of a label`;
}

function isDomain(text: string): boolean {
  return text.length <= 253 && domain.test(text);
}

function valueFault(key: string, value: string): string | undefined {
  if (value === "" || word.test(value)) return undefined;
  return `${JSON.stringify(value)} cannot be the value of label "${key}"`;
}

function holds(
  { key, operator, values }: LabelExpression,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = own(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && (values ?? []).includes(value);
    case "NotIn":
      return value === undefined || !(values ?? []).includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

function expressionQuery({ key, operator, values }: LabelExpression): string {
  switch (operator) {
    case "In":
      return `${key} in (${(values ?? []).join(",")})`;
    case "NotIn":
      return `${key} notin (${(values ?? []).join(",")})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}

function own(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
