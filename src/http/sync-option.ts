import type { ContentType } from '#model/schema/content-type.js';
import { asksForSync, type Model } from '#model/schema/model.js';
import { type ModelOption, optionOf } from '#model/schema/model-option.js';

/** What happens to a value that another client has changed: the write is a conflict, or the last one wins. */
type Conflicts = 'value' | 'last';

/**
 * Whether clients may keep copies of entries (`pluginOptions.sync.enabled`), and how their writes are merged
 * (`pluginOptions.sync.conflicts`). Only collection types are synced.
 */
export const syncOption: ModelOption<Conflicts> = {
  key: 'sync',
  read: (_stated, model) => (model.kind === 'collectionType' && asksForSync(model) ? conflictsIn(model) : null),
};

const conflictsIn = ({ pluginOptions }: Model): Conflicts => pluginOptions?.['sync']?.conflicts ?? 'value';

/** Returns how the writes of clients to a synced type are merged. */
export const conflictsOf = (type: Pick<ContentType, 'options'>): Conflicts => optionOf(type, syncOption) ?? 'value';

/** Returns whether clients may keep copies of the entries of a type. */
export const isSynced = ({ options }: Pick<ContentType, 'options'>): boolean => options.has(syncOption.key);
