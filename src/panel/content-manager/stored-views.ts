import { openCodeStore, viewPrefix } from '../../mongo/stores/code-store.js';
import type { Database } from '../../mongo/send/database.js';
import type { Model } from '../../schema/model.js';
import { defaultConfiguration, followModel, type ViewConfiguration } from './view-configuration.js';

/** The key of a configuration in the store of Strapi v4, so that those of archives and running projects can be taken over. */
const keyOf = ({ uid, kind }: Model): string => `${viewPrefix}${kind === undefined ? 'components' : 'content_types'}::${uid}`;

/** Reads the configuration of a model as it is in force. */
export async function readView(model: Model, models: ReadonlyMap<string, Model>, database: Database): Promise<ViewConfiguration> {
  const stored = await openCodeStore(database).get(keyOf(model));
  return stored === null ? defaultConfiguration(model, models) : followModel(stored as ViewConfiguration, model, models); // written below
}

/** Stores the configuration of a model. */
export const writeView = (model: Model, configuration: ViewConfiguration, database: Database): Promise<void> =>
  openCodeStore(database).set(keyOf(model), { uid: model.uid, ...configuration });
