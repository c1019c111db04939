# Completes a command line as zsh does: complete.zsh SCRIPT WORD… prints the candidates, with what follows them.
compdef() { :; }
_files() { print files; }
compadd() {
  if [[ $1 == -S ]]; then
    print -l "${(@P)4}"
  else
    print -l "${(@)${(@P)2}/%/ }"
  fi
}
source $1
words=("${@[2,-1]}")
CURRENT=${#words}
_tilerun
