"""Completion scripts for bash, zsh and fish. A value that is not listed is completed as a file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from assay.cli.completion.completed_words import Command, Flag

BASH = r"""
_assay() {
    local line="${COMP_LINE:0:$COMP_POINT}" place="" previous="" word rest list lead mark
    local current="${line##* }"
    rest="${line#* }"
    rest="${rest%"$current"}"
    while [[ -n "$rest" ]]; do
        word="${rest%% *}"
        rest="${rest#* }"
        [[ -n "$word" ]] || continue
        case "$place $word" in
@PATHS@
        esac
        previous="$word"
    done
    list=""
    case "$place:$previous" in
@VALUES@
        *)
            case "$place" in
@WORDS@
            esac
            if [[ "$current" == -* ]]; then
                case "$place" in
@FLAGS@
                esac
            fi
            ;;
    esac
    lead=""
    case "$place:$previous" in
@LISTS@
    esac
    COMPREPLY=($(compgen -P "$lead" -W "$list" -- "${current#"$lead"}"))
    # Readline replaces only what follows the last of its own separators.
    for mark in : = @; do
        if [[ "$COMP_WORDBREAKS" == *"$mark"* && "$current" == *"$mark"* ]]; then
            lead="${current%"${current##*"$mark"}"}"
            COMPREPLY=("${COMPREPLY[@]#"$lead"}")
            current="${current#"$lead"}"
        fi
    done
}
complete -o default -F _assay assay
"""
ZSH = """autoload -Uz +X compinit && { (( ${+functions[compdef]} )) || compinit; }
autoload -Uz +X bashcompinit && bashcompinit
"""
FISH = """
function __assay_place
    set -l place
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
@PATHS@
        end
    end
    echo "$place"
end
complete -c assay -e
"""


def bash_script(commands: Sequence[Command]) -> str:
    """Return a function for bash, sourced or put into bash-completion's folder."""
    paths = (f'            "{_typed(each)}") place={shlex.quote(each.path)} ;;' for each in commands[1:])
    flags = (
        _case(each.path, " ".join(flag for one in each.flags for flag in one.spellings)) for each in commands
    )
    text = BASH.replace("@PATHS@", "\n".join(paths)).replace("@FLAGS@", _indented(flags, 20))
    words = (_case(each.path, " ".join(each.words)) for each in commands if each.words)
    text = text.replace("@WORDS@", _indented(words, 16))
    text = text.replace("@VALUES@", _indented(_values(commands), 8))
    text = text.replace("@LISTS@", _indented(_lists(commands), 8))
    return "# Completion of assay for bash, printed by `assay completion bash`." + text


def zsh_script(commands: Sequence[Command]) -> str:
    """Return the function of bash behind zsh's own bashcompinit."""
    first, _, rest = bash_script(commands).partition("\n")
    return first.replace("bash", "zsh") + "\n" + ZSH + rest


def _typed(command: Command) -> str:
    """Return a command as the scripts see it: the place so far, a space, and the word that leads on."""
    return command.path if " " in command.path else f" {command.path}"


def _case(path: str, words: str) -> str:
    return f"{shlex.quote(path)}) list={shlex.quote(words)} ;;"


def _values(commands: Sequence[Command]) -> Iterator[str]:
    """Give the values of each option; where none are known, nothing, and files are completed."""
    for command in commands:
        for flag in command.flags:
            if flag.takes_value:
                yield f"{_places(command, flag)}) list={shlex.quote(' '.join(flag.words))} ;;"


def _lists(commands: Sequence[Command]) -> Iterator[str]:
    for command in commands:
        for flag in command.flags:
            if flag.measures:
                yield f'{_places(command, flag)}) [[ "$current" == *,* ]] && lead="${{current%,*}}," ;;'


def _places(command: Command, flag: Flag) -> str:
    return "|".join(shlex.quote(f"{command.path}:{each}") for each in flag.spellings)


def _indented(lines: Iterator[str], by: int) -> str:
    return "\n".join(" " * by + line for line in lines)


def fish_script(commands: Sequence[Command]) -> str:
    """Return completions with descriptions, for a folder that fish loads on demand."""
    paths = (
        f"            case {_fish(_typed(each))}\n                set place {_fish(each.path)}"
        for each in commands[1:]
    )
    lines = [
        "# Completion of assay for fish, printed by `assay completion fish`."
        + FISH.replace("@PATHS@", "\n".join(paths))
    ]
    texts = {each.path: each.text for each in commands}
    for command in commands:
        here = f"complete -c assay -n {_fish(f'test (__assay_place) = {_fish(command.path)}')}"
        for word in command.words:
            text = texts.get(f"{command.path} {word}".strip(), "")
            lines.append(f"{here} -a {_fish(word)}" + (f" -f -d {_fish(text)}" if text else ""))
        for flag in command.flags:
            spelled = " ".join(
                f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}" for each in flag.spellings
            )
            lines.append(f"{here} {spelled}{_fish_value(flag)} -d {_fish(flag.text)}")
    return "\n".join(lines) + "\n"


def _fish_value(flag: Flag) -> str:
    words = " ".join(flag.words)
    if flag.measures:
        return f" -x -a {_fish(f'(__fish_append , {words})')}"
    if not words:
        return " -r" if flag.takes_value else ""
    return f" {'-r' if flag.files else '-x'} -a {_fish(words)}"


def _fish(text: str) -> str:
    """Return a text in single quotes, as fish reads them."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
