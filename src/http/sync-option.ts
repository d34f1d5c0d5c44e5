import type { ContentType } from '#model/schema/content-type.js';
import { asksForSync } from '#model/schema/model.js';
import type { ModelOption } from '#model/schema/model-option.js';

/** Whether clients may keep copies of entries (`pluginOptions.sync.enabled`). Only collection types are synced. */
export const syncOption: ModelOption<true> = {
  key: 'sync',
  read: (_stated, model) => (model.kind === 'collectionType' && asksForSync(model) ? true : null),
};

/** Returns whether clients may keep copies of the entries of a type. */
export const isSynced = ({ options }: Pick<ContentType, 'options'>): boolean => options.has(syncOption.key);
