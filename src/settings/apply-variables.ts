import { lookUp, readers, type Variables } from './create-env.js';
import { type Setting, type SettingNode, ConfigError, environmentOf } from './setting.js';
import { readAddress } from './database-address.js';
import { valuesOf } from './translation.js';
import { checkSection, isRight } from './check-section.js';
import type { Config } from './config.js';
import { bySection, type SectionName, sectionNames, sections, type Sections } from './sections.js';
import { translateStrapi, type WrittenSections } from './translate-strapi.js';

/** Environment variables, and a function that is called with the problem of one. It then counts as not set. */
interface GivenValue {
  readonly variables: Variables;
  readonly refuse: (problem: string) => void;
}

/**
 * Returns the written value with environment variables applied, and a shorthand such as `graphql: false` expanded to `{ enabled
 * }`.
 */
function applyVariables(node: SettingNode, written: unknown, input: GivenValue): unknown {
  if (node.kind === 'setting') return variableOf(node, input) ?? spelt(node, written);
  const given = typeof written === 'boolean' && 'enabled' in node.settings ? { enabled: written } : (written ?? {});
  if (typeof given !== 'object' || Array.isArray(given)) return given;
  const over = Object.entries(node.settings).flatMap(([name, child]) => {
    const below: unknown = Reflect.get(given, name);
    const value = applyVariables(child, below, input);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...given, ...Object.fromEntries(over) };
}

/** Converts a number that is written as a string, such as the result of `env('PORT', '1337')`. */
const spelt = ({ schema }: Setting<unknown>, written: unknown): unknown =>
  schema['type'] === 'integer' && typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : written;

function variableOf({ variable, schema }: Setting<unknown>, { variables, refuse }: GivenValue): unknown {
  const value = variable === null ? undefined : lookUp(variables, variable);
  if (variable === null || value === undefined) return undefined;
  const type = String(schema.type);
  try {
    return type in readers ? readers[type as keyof typeof readers](variable, value) : value;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    refuse(error.message);
    return undefined;
  }
}

/** The inputs of a configuration besides the written files. */
interface ConfigPlace {
  /** Absolute path of the working directory. */
  readonly directory: string;
  /** Value of NODE_ENV. */
  readonly environment: string | undefined;
  /** Environment variables, which take precedence over the files. */
  readonly variables: Variables;
  /** Warnings from reading the files. */
  readonly warnings: readonly string[];
  /** Fatal errors from reading the files. */
  readonly problems?: readonly string[];
  /** Whether the directory is a Strapi project. Its unknown keys may belong to its own code. */
  readonly isStrapiProject: boolean;
  /** All settings; by default without those that features add. */
  readonly sections?: Sections | undefined;
}

/** A configuration with what is wrong in it. */
export interface ExaminedConfig {
  /** Settings that are refused have their defaults. */
  readonly config: Config;
  /** What must stop the start, a line each. */
  readonly problems: readonly string[];
}

/** Returns the complete configuration, with defaults, and frozen. Throws a ConfigError that lists every problem. */
export const completeConfig = (written: WrittenSections, place: ConfigPlace): Config =>
  validConfig(examineSections(written, place));

/** Returns a configuration without problems. Throws a ConfigError that lists them. */
export function validConfig({ config, problems }: ExaminedConfig): Config {
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** Returns the complete configuration and its problems. Translates settings of a Strapi project. */
export function examineSections(written: WrittenSections, place: ConfigPlace): ExaminedConfig {
  const environment = environmentOf(place.environment);
  const isStrapiProject = place.isStrapiProject || Array.isArray(written.middlewares.value);
  const { sections: known = sections } = place;
  const translated = translateStrapi(written, { directory: place.directory, isStrapiProject, sections: known });
  const wrong: string[] = [];
  const input = { variables: place.variables, refuse: (problem: string) => wrong.push(problem) };
  const given = bySection((name) => applyVariables(known[name], translated.sections[name].value, input));
  const rules = { isProduction: environment === 'production', isStrapiProject };
  const findings = sectionNames.flatMap((name) => checkSection(known[name], given[name], written[name].file, rules));
  const address = addressOf(given.database, written.database.file);
  const isLeftOut = (name: SectionName): boolean => isStrapiProject && (name === 'database' || !rules.isProduction);
  const absent = translated.missing.filter(([name]) => !isLeftOut(name)).map(([, text]) => text);
  const leftOut = translated.missing.filter(([name]) => isLeftOut(name)).map(([, text]) => `${text}; it is left out`);
  const refused = [...absent, ...findings.filter(({ isFatal }) => isFatal).map(({ text }) => text)];
  const isKept = refused.length === absent.length ? isGiven : isRight;
  const found = [...translated.warnings, ...findings.map(({ text }) => text), ...address.warnings];
  // The known sections have the settings that `Config` is the type of; those of features, if they are known.
  const complete = bySection((name) => fill(known[name], given[name], isKept)) as Pick<Config, SectionName>;
  const config: Config = {
    directory: place.directory,
    environment,
    environmentName: place.environment || 'development',
    warnings: [...place.warnings, ...leftOut, ...found],
    ...complete,
    database: { ...complete.database, uri: address.uri },
  };
  const all = [...new Set([...config.warnings, ...limitWarnings(config.api)])];
  return {
    config: freezeDeep({ ...config, api: withAliases(config), warnings: all }),
    problems: [...(place.problems ?? []), ...wrong, ...refused, ...address.problems, ...checkTogether(config)],
  };
}

/** Returns the address of the database, and lines about it. */
function addressOf(database: unknown, file: string) {
  const { uri } = valuesOf(database);
  if (typeof uri !== 'string') return { uri: null, problems: [], warnings: [] };
  const { problems, warnings, ...address } = readAddress(uri);
  const line = (text: string): string => `${file}: uri ${text} (environment variable MONGODB_URI)`;
  return { ...address, problems: problems.map(line), warnings: warnings.map(line) };
}

function limitWarnings({ rest: { defaultLimit, maxLimit } }: Config['api']): readonly string[] {
  if (maxLimit === null || defaultLimit <= maxLimit) return [];
  return ['api.rest.defaultLimit is greater than api.rest.maxLimit: lists without a page size in the request have more entries'];
}

/** Returns the API settings with the older name of a limit applied, from before REST and GraphQL shared limits. */
function withAliases({ api, plugins }: Config): Config['api'] {
  const { cost } = plugins.graphql.config.limits;
  return cost === null ? api : { ...api, limits: { ...api.limits, entriesRead: cost } };
}

type IsKept = (node: Setting<unknown>, value: unknown) => boolean;

const isGiven: IsKept = (_, value) => value !== undefined;

/** Returns the complete value of a section, with defaults for missing values and those that are not kept. */
function fill(node: SettingNode, given: unknown, isKept: IsKept): unknown {
  if (node.kind === 'setting') return isKept(node, given) ? given : node.default;
  const below = (name: string): unknown => (typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined);
  return Object.fromEntries(Object.entries(node.settings).map(([name, child]) => [name, fill(child, below(name), isKept)]));
}

/** Returns a line for each conflict between settings of different sections. */
function checkTogether({ api, plugins, middlewares }: Config): readonly string[] {
  const { cors, body } = middlewares;
  const graphql = plugins.graphql.config.endpoint;
  return [
    ...(cors.credentials && [cors.origin].flat().includes('*')
      ? ['middlewares.cors.credentials needs a list of origins, not *']
      : []),
    ...(graphql === api.rest.prefix ? ['plugins.graphql.config.endpoint is the same as api.rest.prefix'] : []),
    ...(body.jsonLimit > 16_777_216 ? ['middlewares.body.jsonLimit is over 16 MB, the largest document of MongoDB'] : []),
  ];
}

/** Freezes plain objects and lists recursively. Functions and instances of classes stay as they are. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value;
  Object.values(value).forEach(freezeDeep);
  return Object.freeze(value);
}
