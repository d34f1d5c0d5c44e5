import {
  type AdministrationTarget,
  identifyAdministrators,
  previewAdministration,
  takeAdministration,
} from '../transfer/panel/take-administration.js';
import { takePanelSetting } from '#admin/import/take-settings.js';
import type { PanelTarget } from '../transfer/import-run.js';
import { printError } from './print.js';
import type { OpenedService } from './open-service.js';

/** Prints that an administrator of the source has all rights. */
const printSuper = (email: string): void => {
  printError(`${email} has all rights in the admin panel, with the password of the source`);
};

/** Returns the admin panel of a service as imports fill it. `tellSuper` is told the address of each new super admin. */
export function panelTarget(
  { config, store, content }: Pick<OpenedService, 'config' | 'store' | 'content'>,
  tellSuper: AdministrationTarget['tellSuper'] = printSuper,
): PanelTarget {
  const isProduction = config.environment === 'production';
  const target = ({ plan, report }: Parameters<PanelTarget['preview']>[1]): AdministrationTarget => ({
    ...{ content, tellSuper, report },
    registry: plan.registry,
  });
  return {
    takeSetting: (setting, { plan, report }) =>
      takePanelSetting(setting, { store, models: plan.definitions, isProduction, report }),
    identify: (records) => identifyAdministrators(records, content),
    preview: (records, context) => previewAdministration(records, target(context)),
    take: (records, ids, context) => takeAdministration(records, ids, target(context)),
  };
}
