import type { Choice } from "../../observe/index.ts";
import { server } from "../server.ts";
import { useAsked } from "../use-asked.ts";
import { ChoiceField } from "./ChoiceField.tsx";

/** Where an object of the cluster is. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** What there is to choose of a kind in a cluster. */
export function useChoices(kind: string, cluster: string) {
  const { value, error } = useAsked(`${kind} ${cluster}`, (signal) => server.choices(kind, cluster, signal));
  return { choices: value ?? [], error, isRead: value !== undefined };
}

interface ObjectFieldProps {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly cluster: string;
  readonly value: ObjectName;
  readonly onChoose: (object: ObjectName) => void;
  /** Which of them can be chosen, and what to say when none can. */
  readonly usable?: { readonly is: (choice: Choice) => boolean; readonly none: string };
  /** What the empty choice says; without it one has to choose. */
  readonly none?: string;
}

/** One object of a kind, of all namespaces: choosing it tells its namespace, too. */
export function ObjectField(props: ObjectFieldProps) {
  const { id, label, kind, cluster, value, onChoose, usable, none } = props;
  const { choices, error, isRead } = useChoices(kind, cluster);
  const shown = usable ? choices.filter(usable.is) : choices;
  const empty = isRead && shown.length === 0 && none === undefined;
  return (
    <ChoiceField
      id={id}
      label={label}
      isRequired={none === undefined}
      {...(none !== undefined && { none })}
      value={value.name === "" ? "" : `${value.namespace}/${value.name}`}
      options={shown.map((choice) => [idOf(choice), words(choice)])}
      error={error ?? (empty ? (usable?.none ?? `There is no ${kind} here yet`) : undefined)}
      onChange={(chosen) => onChoose(split(chosen))}
    />
  );
}

function idOf({ namespace = "", name }: Choice): string {
  return `${namespace}/${name}`;
}

function words({ namespace, name, notes }: Choice): string {
  return `${name} (${[namespace, ...notes].join(", ")})`;
}

function split(id: string): ObjectName {
  const [namespace = "", name = ""] = id.split("/");
  return { namespace, name };
}
