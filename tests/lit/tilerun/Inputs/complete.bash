# Completes a command line as bash does: complete.bash SCRIPT LINE prints the candidates.
source "$1"
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
_tilerun
printf '%s\n' "${COMPREPLY[@]}"
