import { createView, type ModelMembers, modelMembers } from '../content/model-members.js';
import type { ProjectRegisters } from './project-registers.js';

/** Returns the members that describe models: those that code may change while it registers, and then those in force. */
export const membersOf = (
  { content, models, lifecycles, connection }: ProjectRegisters,
  tell: (text: string) => void,
): ModelMembers =>
  modelMembers({
    content,
    changeable: models,
    view: createView({
      listeners: lifecycles.ofModels,
      written: (uid) => connection.running?.backend.models.inForce().models.get(uid),
      log: tell,
    }),
  });
