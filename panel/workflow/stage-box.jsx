import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useQuery, useQueryClient } from 'react-query';
import { Flex, SingleSelect, SingleSelectOption, Typography } from '@strapi/design-system';
import { useAPIErrorHandler, useCMEditViewDataManager, useNotification } from '@strapi/helper-plugin';
import { put, read } from '../client.js';
import { authorName } from '../authors.js';
import { SideBox } from '../side-box.jsx';
import { label } from '../texts.js';
import { StageDot } from './colored-stage.jsx';
import { personName, useWorkflow } from './use-workflow.js';

/** The stage and the assignee in the side of a form. Both are saved at once. */
export function StageBox() {
  const { slug, initialData, isCreatingEntry, allLayoutData, readActionAllowedFields } = useCMEditViewDataManager();
  const hasStages = allLayoutData.contentType?.options?.workflow !== undefined;
  if (!hasStages || isCreatingEntry || initialData.id === undefined || readActionAllowedFields.length === 0) return null;
  return <Stage uid={slug} id={initialData.id} />;
}

/** Returns the stage of an entry, and a function that changes it. */
function useStage(path) {
  const queries = useQueryClient();
  const toggleNotification = useNotification();
  const { formatAPIError } = useAPIErrorHandler();
  const { data } = useQuery([path], () => read(path));
  const [isSaving, setSaving] = useState(false);
  const change = async (input) => {
    setSaving(true);
    try {
      const { data: answer } = await put(path, { ...input, from: data.stage });
      queries.setQueryData([path], answer.data);
    } catch (error) {
      toggleNotification({ type: 'warning', message: formatAPIError(error) });
      await queries.invalidateQueries([path]);
    } finally {
      setSaving(false);
    }
  };
  return { position: data, isSaving, change };
}

function Stage({ uid, id }) {
  const { formatMessage, formatDate } = useIntl();
  const { data: workflow } = useWorkflow(uid);
  const { position, ...saving } = useStage(`/admin/api/workflow/${uid}/${id}`);
  if (workflow === undefined || position === undefined) return null;
  const { by, at } = position;
  return (
    <SideBox title={formatMessage(label('workflow.stage'))}>
      <Flex direction="column" alignItems="stretch" gap={4}>
        <StageSelect stages={workflow.stages} position={position} {...saving} />
        <AssigneeSelect administrators={workflow.administrators} position={position} {...saving} />
        {at !== null && (
          <Typography variant="pi" textColor="neutral600">
            {formatMessage(label('workflow.moved'), {
              at: formatDate(at, { dateStyle: 'medium', timeStyle: 'short' }),
              by: authorName(by, formatMessage),
            })}
          </Typography>
        )}
      </Flex>
    </SideBox>
  );
}

function StageSelect({ stages, position: { stage, moves }, isSaving, change }) {
  const { formatMessage } = useIntl();
  const shown = stages.filter(({ name }) => name === stage || moves.includes(name));
  const color = stages.find(({ name }) => name === stage)?.color;
  return (
    <SingleSelect
      label={formatMessage(label('workflow.stage'))}
      value={stage}
      startIcon={<StageDot $color={color} />}
      disabled={isSaving || moves.length === 0}
      onChange={(name) => name !== stage && change({ stage: name })}
    >
      {shown.map(({ name, color: own }) => (
        <SingleSelectOption key={name} value={name} startIcon={<StageDot $color={own} />}>
          {name}
        </SingleSelectOption>
      ))}
    </SingleSelect>
  );
}

function AssigneeSelect({ administrators, position: { assignee, assigns }, isSaving, change }) {
  const { formatMessage } = useIntl();
  const active = administrators.filter((one) => one.isActive && one.id !== assignee?.id);
  return (
    <SingleSelect
      label={formatMessage(label('workflow.assignee'))}
      placeholder={formatMessage(label('workflow.nobody'))}
      value={assignee === null ? '' : String(assignee.id)}
      disabled={isSaving || !assigns}
      onChange={(id) => change({ assignee: Number(id) })}
      onClear={() => change({ assignee: null })}
      clearLabel={formatMessage(label('workflow.nobody'))}
    >
      {[...(assignee === null ? [] : [assignee]), ...active].map((person) => (
        <SingleSelectOption key={person.id} value={String(person.id)}>
          {personName(person)}
        </SingleSelectOption>
      ))}
    </SingleSelect>
  );
}
