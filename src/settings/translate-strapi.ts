import { nearestName } from '#base/nearest-name.js';
import { bySection, type SectionName, type Sections } from './sections.js';
import type { SettingNode } from './setting.js';
import { keysOfUnset, pluginAdvice, pluginMeanings, strapiKeys } from './strapi-keys.js';
import { translateMiddleware } from './strapi-middlewares.js';
import { translationOf, valuesOf, type Translation } from './translation.js';
import { isRecord, type Values } from '#base/values.js';
import type { WrittenSection } from './read-section.js';
import { isStandIn, standInReason } from './stand-in.js';

export type WrittenSections = Readonly<Record<SectionName, WrittenSection>>;

/** A configuration that is translated to settings of Mangrove. */
interface TranslatedConfig {
  readonly sections: WrittenSections;
  /** Warnings about keys without effect, one line per file and advice. */
  readonly warnings: readonly string[];
  /** Lines for settings that need a package which is not installed, by section. They are left out. */
  readonly missing: readonly (readonly [SectionName, string])[];
}

interface Collected {
  readonly set: Map<string, unknown>;
  /** Names of keys, by a line with file and advice. */
  readonly advice: Map<string, string[]>;
  /** Sections, each with a line about a setting that needs a package which is not installed. */
  readonly missing: [SectionName, string][];
}

/** Translates the configuration of a Strapi project. Settings that are written under Mangrove's names take precedence. */
export function translateStrapi(written: WrittenSections, project: Project): TranslatedConfig {
  const collected: Collected = { set: new Map(), advice: new Map(), missing: [] };
  const values: Record<string, unknown> = bySection((name) => {
    const { file, value } = written[name];
    return translateSection(name, value, { file, ...project, ...collected });
  });
  for (const [path, value] of collected.set) setAt(values, path.split('.'), value);
  return {
    sections: bySection((name) => ({ file: written[name].file, value: values[name] })),
    warnings: [...collected.advice].map(([advice, names]) => advice.replace('%', names.join(', '))),
    missing: collected.missing,
  };
}

/** The project of a configuration. */
interface Project {
  readonly directory: string;
  readonly isStrapiProject: boolean;
  /** All settings. */
  readonly sections: Sections;
}

interface Place extends Project, Collected {
  readonly file: string;
}

function translateSection(name: SectionName, value: unknown, place: Place): unknown {
  if (isMissing(name, isStandIn(value) ? value : null, place)) return {};
  if (name === 'middlewares' && Array.isArray(value)) return translateList(value, place);
  if (name === 'plugins' && isRecord(value))
    return translateLevel(name, place.sections[name], translatePlugins(value, place), place);
  return translateLevel(name, place.sections[name], value, place);
}

/** Returns whether a value needs a package that is not installed, and collects a line about it. */
function isMissing(path: string, value: unknown, { file, missing }: Place): boolean {
  const reason = standInReason(value);
  const [section = '', ...key] = path.split('.');
  const name = key.length === 0 ? '' : ` (${key.join('.')})`;
  if (reason !== null) missing.push([section as SectionName, `${file}: ${reason}${name}`]); // paths begin with the section
  return reason !== null;
}

/** Copies a level of settings, and collects the translations of Strapi's keys instead of copying them. */
function translateLevel(path: string, node: SettingNode | undefined, value: unknown, place: Place): unknown {
  if (!isRecord(value) || node?.kind === 'setting') return value;
  const kept = Object.entries(value).flatMap(([key, below]) => {
    const full = `${path}.${key}`;
    const meaning = Object.hasOwn(strapiKeys, full) ? strapiKeys[full] : undefined;
    if (meaning === undefined) {
      const child = node !== undefined && Object.hasOwn(node.settings, key) ? node.settings[key] : undefined;
      if (below === null && place.isStrapiProject && needsValue(child)) return [];
      if (child?.kind === 'setting' && isMissing(full, below, place)) return [];
      return [[key, child === undefined ? below : translateLevel(full, child, below, place)] as const];
    }
    if ((below === undefined || below === null) && !keysOfUnset.has(full)) return [];
    if (typeof meaning !== 'function' || !isMissing(full, below, place))
      collect(full, translationOf(meaning, below, place.directory), place);
    return [];
  });
  return Object.fromEntries(kept);
}

/** Returns whether null is no value of a setting. Strapi takes it as absent. */
const needsValue = (node: SettingNode | undefined): boolean => node?.kind === 'setting' && node.schema['nullable'] !== true;

function collect(path: string, { set = {}, advice }: Translation, { file, ...collected }: Place): void {
  for (const [name, value] of Object.entries(set))
    if (value !== undefined && !collected.set.has(name)) collected.set.set(name, value);
  if (advice === undefined) return;
  const line = `${file}: %: ${advice}`;
  const key = path.slice(path.indexOf('.') + 1);
  collected.advice.set(line, [...(collected.advice.get(line) ?? []), key]);
}

/** Collects the translations of Strapi's list of middlewares. Returns no settings. */
function translateList(items: readonly unknown[], place: Place): Values {
  for (const item of items) {
    if (isMissing('middlewares', item, place)) continue;
    const { name, ...translation } = translateMiddleware(item);
    collect(`middlewares.${name}`, translation, place);
  }
  return {};
}

/** Returns the plugins that Mangrove has, without `resolve`. Reports other plugins, unless the name looks misspelt. */
function translatePlugins(plugins: Values, place: Place): Values {
  const own = place.sections.plugins.settings;
  const kept = Object.entries(plugins).flatMap(([name, value]) => {
    if (Object.hasOwn(own, name)) return [[name, withoutResolve(name, value, place)] as const];
    if (!place.isStrapiProject || (!Object.hasOwn(pluginAdvice, name) && nearestName(name, Object.keys(own)) !== null))
      return [[name, value] as const];
    if (value !== false && valuesOf(value)['enabled'] !== false)
      translatePlugin(name, valuesOf(valuesOf(value)['config']), place);
    return [];
  });
  return Object.fromEntries(kept);
}

function withoutResolve(name: string, value: unknown, place: Place): unknown {
  if (!isRecord(value) || !('resolve' in value)) return value;
  collect(`plugins.${name}.resolve`, { advice: "Mangrove's own plugin is used" }, place);
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'resolve'));
}

function translatePlugin(name: string, config: Values, place: Place): void {
  const meaning = Object.hasOwn(pluginMeanings, name) ? pluginMeanings[name] : undefined;
  if (meaning !== undefined && isMissing(`plugins.${name}`, config, place)) return;
  const advice = (Object.hasOwn(pluginAdvice, name) ? pluginAdvice[name] : undefined) ?? 'its settings are ignored';
  collect(
    `plugins.${name}`,
    meaning === undefined ? { advice: `Mangrove has no such plugin; ${advice}` } : meaning(config),
    place,
  );
}

/** Sets the value at a path if there is none. */
function setAt(target: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[key] ??= value;
    return;
  }
  const below = target[key];
  const level = typeof below === 'boolean' ? { enabled: below } : { ...valuesOf(below) };
  target[key] = level;
  setAt(level, rest, value);
}
