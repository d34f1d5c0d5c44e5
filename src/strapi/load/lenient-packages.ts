import { UnsupportedCodeError, leaveOut } from './unsupported-code.js';
import { mapValues } from '../../values.js';

/**
 * Returns the replacements of Strapi's packages for files that may import names which are not offered. Such a name is a stand-in,
 * whose use throws the UnsupportedCodeError. `report` is called for each.
 */
export const lenientPackages = (
  packages: Readonly<Record<string, unknown>>,
  report: (error: UnsupportedCodeError) => void,
): Readonly<Record<string, unknown>> => mapValues(packages, (exported) => lenient(exported, report));

const lenient = (exported: unknown, report: (error: UnsupportedCodeError) => void): unknown =>
  typeof exported !== 'object' || exported === null
    ? exported
    : new Proxy(exported, {
        get: (target, name) => {
          try {
            return Reflect.get(target, name) as unknown;
          } catch (error) {
            if (!(error instanceof UnsupportedCodeError)) throw error;
            report(error);
            return leaveOut(error.message);
          }
        },
      });
