interface Config {
  extensions?: object | null | undefined;
  readonly args?: Readonly<Record<string, Config>> | undefined;
}

const none: object = Object.freeze(Object.create(null));

/**
 * Shares one empty map between the fields and arguments that have no extensions: graphql-js would make one for each of them,
 * a third of what a large schema weighs. Gives the fields it was given.
 */
export function shareExtensions<Fields extends Readonly<Record<string, Config>>>(fields: Fields): Fields {
  for (const field of Object.values(fields)) {
    field.extensions ??= none;
    if (field.args !== undefined) shareExtensions(field.args);
  }
  return fields;
}
