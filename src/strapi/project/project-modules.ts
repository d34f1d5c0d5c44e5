import { resolve } from 'node:path';
import type { LoadOptions } from '#settings/load-source.js';
import { leaveOut } from '../load/unsupported-code.js';
import { strapiPackages } from '../packages/strapi-packages.js';
import { createFactories } from '../routes/factories.js';
import type { ProjectRegisters } from '../runtime/project-registers.js';
import type { ProjectStrapi } from '../runtime/project-strapi.js';

/**
 * The modules of a project. Its configuration, its code and its plugins share them, so that each file runs once, as in Strapi v4.
 * Configuration is read before there is a `strapi`: functions that it gets from Strapi's packages work from `begin` on.
 */
export class ProjectModules {
  readonly loaded: NonNullable<LoadOptions['loaded']> = new Map();
  readonly packages: Readonly<Record<string, object>>;
  readonly globals: { strapi?: ProjectStrapi } = {};
  readonly leaveOut = leaveOut;
  #registers: ProjectRegisters | null = null;

  constructor(directory: string) {
    this.packages = strapiPackages({
      directory: resolve(directory),
      factories: createFactories(() => this.#begun().core),
      requests: () => this.#begun().requests,
      content: () => this.#begun().content(),
      accountService: (name) => (this.globals.strapi ?? tooEarly()).plugin('users-permissions').service(name),
    });
  }

  /** Gives the modules what their functions work with. */
  begin(strapi: ProjectStrapi, registers: ProjectRegisters): void {
    this.globals.strapi = strapi;
    this.#registers = registers;
  }

  #begun(): ProjectRegisters {
    return this.#registers ?? tooEarly();
  }
}

function tooEarly(): never {
  throw new Error('strapi is not there yet while the configuration is read');
}
