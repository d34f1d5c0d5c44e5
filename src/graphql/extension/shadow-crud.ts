/** The parts of one field that custom code has switched off. The flags are independent. */
export interface FieldRules {
  enabled: boolean;
  input: boolean;
  output: boolean;
  filters: boolean;
}

/** The parts of one content type or component that custom code has switched off. */
export interface TypeRules {
  enabled: boolean;
  queries: boolean;
  mutations: boolean;
  readonly disabledActions: Set<string>;
  readonly fields: Map<string, FieldRules>;
}

/** The shadow of one content type or component; parts stay switched off in every later schema. */
export interface TypeControl {
  disable(): TypeControl;
  disableQueries(): TypeControl;
  disableMutations(): TypeControl;
  /** A name that is no action has no effect. */
  disableAction(action: string): TypeControl;
  /** `*`: all. */
  disableActions(actions: readonly string[]): TypeControl;
  isEnabled(): boolean;
  isDisabled(): boolean;
  areQueriesEnabled(): boolean;
  areQueriesDisabled(): boolean;
  areMutationsEnabled(): boolean;
  areMutationsDisabled(): boolean;
  isActionEnabled(action: string): boolean;
  isActionDisabled(action: string): boolean;
  field(name: string): FieldControl;
}

/** The shadow of one field. */
export interface FieldControl {
  disable(): FieldControl;
  disableOutput(): FieldControl;
  disableInput(): FieldControl;
  disableFilters(): FieldControl;
  isEnabled(): boolean;
  isDisabled(): boolean;
  hasInputEnabled(): boolean;
  hasOutputEnabled(): boolean;
  hasFiltersEnabled(): boolean;
  /** The name as Strapi v4 spells it. */
  hasFiltersEnabeld(): boolean;
}

/** Controls the shadow of a type whose rules are kept in `rules`. */
export function controlType(rules: TypeRules): TypeControl {
  const control: TypeControl = {
    disable: () => change(() => (rules.enabled = false)),
    disableQueries: () => change(() => (rules.queries = false)),
    disableMutations: () => change(() => (rules.mutations = false)),
    disableAction: (action) => control.disableActions([action]),
    disableActions: (actions) =>
      change(() => {
        for (const action of actions) rules.disabledActions.add(action);
      }),
    isEnabled: () => rules.enabled,
    isDisabled: () => !rules.enabled,
    areQueriesEnabled: () => rules.queries,
    areQueriesDisabled: () => !rules.queries,
    areMutationsEnabled: () => rules.mutations,
    areMutationsDisabled: () => !rules.mutations,
    isActionEnabled: (action) => isActionOn(rules, action),
    isActionDisabled: (action) => !isActionOn(rules, action),
    field: (name) => controlField(fieldRules(rules, name)),
  };
  const change = (apply: () => unknown): TypeControl => {
    apply();
    return control;
  };
  return control;
}

export const isActionOn = ({ disabledActions }: TypeRules, action: string): boolean =>
  !disabledActions.has(action) && !disabledActions.has('*');

function fieldRules({ fields }: TypeRules, name: string): FieldRules {
  const rules = fields.get(name) ?? { enabled: true, input: true, output: true, filters: true };
  fields.set(name, rules);
  return rules;
}

function controlField(rules: FieldRules): FieldControl {
  const switchOff = (...flags: readonly (keyof FieldRules)[]): FieldControl => {
    for (const flag of flags) rules[flag] = false;
    return control;
  };
  const control: FieldControl = {
    disable: () => switchOff('enabled', 'output', 'input', 'filters'),
    disableOutput: () => switchOff('output'),
    disableInput: () => switchOff('input'),
    disableFilters: () => switchOff('filters'),
    isEnabled: () => rules.enabled,
    isDisabled: () => !rules.enabled,
    hasInputEnabled: () => rules.input,
    hasOutputEnabled: () => rules.output,
    hasFiltersEnabled: () => rules.filters,
    hasFiltersEnabeld: () => rules.filters,
  };
  return control;
}
