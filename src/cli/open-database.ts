import { loadConfig } from '../config/load-config.js';
import { sectionsWith } from '../config/sections.js';
import { features } from '../features.js';
import { modelSettings } from '../http/feature.js';
import type { ModelSettings } from '../schema/build-content-type.js';
import { type ConnectedDatabase, connectConfigured } from './connect-configured.js';

/** The database that a command works on. */
export interface OpenedDatabase extends ConnectedDatabase {
  /** The settings that models are read with. */
  readonly settings: ModelSettings;
}

/** Opens the database of the working directory, with the settings of its models. */
export async function openDatabase(): Promise<OpenedDatabase> {
  const config = await loadConfig({ directory: process.cwd(), known: sectionsWith(features) });
  return { ...(await connectConfigured(config)), settings: modelSettings(features, config) };
}
